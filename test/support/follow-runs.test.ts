import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createScenario } from '../simulator/scenario.ts';
import { createFollowRuns, type UpgradeFunction } from './follow-runs.ts';
import { createWatchedHandles } from './watched-handles.ts';

const minuteMs = 60_000;

/** A run whose only trace is how long it has been going on, in a world in which somebody is always about to wake. */
function goingOn() {
  const world = createScenario();
  const { clock } = world;
  const begunAt = clock.now();
  const handles = createWatchedHandles();
  const ages: number[] = [];
  // A slow server: the clock could move for hours between two answers.
  const query = async () => {
    for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
    ages.push(clock.now() - begunAt);
    return { startedAt: begunAt, traffic: { sent: clock.now() - begunAt } };
  };
  const handle = { workflowId: 'pool', query } as unknown as WorkflowHandle<UpgradeFunction>;
  const ended = new AbortController();
  const night = clock.act('night watch', async () => {
    while (!ended.signal.aborted) await clock.sleep(minuteMs, ended.signal);
  });
  const end = async () => {
    ended.abort();
    await night;
  };
  return { clock, begunAt, handles, handle, ages, end, ...createFollowRuns(world, handles) };
}

describe('whoever waits for a run', () => {
  test('meets what he waits for soon after it has come about, however slow the answers are', async () => {
    const { until, handle, ages, end } = goingOn();
    const { traffic } = await until(handle, 'an hour', ({ traffic: { sent } }) => sent >= 60 * minuteMs);
    await end();
    expect(traffic.sent).toBeLessThanOrEqual(70 * minuteMs);
    const steps = ages.map((age, index) => age - (ages[index - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(10 * minuteMs);
  });

  test('who does not say so finds the world far away: control of the rule', async () => {
    const { handle, ages, end } = goingOn();
    await handle.query('status');
    await end();
    expect(Math.max(...ages)).toBeGreaterThan(120 * minuteMs);
  });

  test('is told who waits for what when it is given up', async () => {
    const { until, handles, handle, end } = goingOn();
    const never = until(handle, 'pigs fly', () => false);
    const result = handles.call('the result of pool', new Promise(() => undefined));
    expect(handles.underWay()).toEqual(["until 'pigs fly'", 'the result of pool']);
    handles.failPending(new Error(handles.underWay().join(' and ')));
    await expect(never).rejects.toThrow("until 'pigs fly' and the result of pool");
    await expect(result).rejects.toThrow('pigs fly');
    await end();
  });
});
