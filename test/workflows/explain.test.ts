import { expect, inject, test } from 'vitest';
import type { RunExplanation } from '../../client/explain/explain-run.ts';
import { pauseUpdate } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { targetOf } from '../support/command-connection.ts';
import { runCommandLine } from '../support/command-line.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

function commandEnvironment() {
  return { TEMPORAL_ADDRESS: inject('temporalAddress'), NO_COLOR: '1' };
}

test('explain says why a run waits, and that one which has ended waits for nothing', async () => {
  const harness = await openHarness(createScenario());
  await harness.pauseWorker();
  const handle = await harness.start(scenarioPolicy());
  const paused = handle.executeUpdate(pauseUpdate, { args: [{ by: 'ann', reason: 'error rate is up' }] });
  await harness.restart();
  await paused;
  const { cluster, pool } = targetOf(handle.workflowId);
  const env = commandEnvironment();
  const explain = async (...args: string[]) =>
    await runCommandLine(['explain', `${cluster}/${pool}`, ...args], { input: '', env });

  const waiting = await explain();
  const data = await explain('-o', 'json');
  await runCommandLine(['resume', `${cluster}/${pool}`], { input: '', env });
  await handle.result();
  const ended = await explain();

  expect(waiting).toMatchObject({ code: 0, stderr: '' });
  expect(waiting.stdout).toContain('The run is paused by ann: error rate is up. It starts no further node.');
  expect(waiting.stdout).toContain(`next: nodeferry resume ${cluster}/${pool}`);
  expect(JSON.parse(data.stdout)).toMatchObject({
    state: 'paused',
    reasons: expect.arrayContaining([expect.objectContaining({ command: `nodeferry resume ${cluster}/${pool}` })]),
  });
  expect(ended.stdout).toMatch(/: completed, (\d+) of \1 nodes replaced\.\nIt waits for nothing\.\n$/);
});

test('explain names the budget that keeps a live run waiting, since when, and what to change, after which the run goes on', async () => {
  const { deadlines } = scenarioPolicy().waits;
  const { world, start } = upgradeOf({ policy: { waits: { deadlines: { ...deadlines, guardMs: 86_400_000 } } } });
  const web = world.budgets.find(({ name }) => name === 'web');
  if (web === undefined) throw new Error('there is no budget web');
  const reader = world.clock.onlooker('whoever reads the screen');
  const { harness, handle } = await start({
    before: (step) => {
      // Stricter after the plan was made.
      if (step === 'cordonNodes') web.maxUnavailable = 0;
    },
  });
  const { cluster, pool } = targetOf(handle.workflowId);
  const explain = async (...args: string[]) => {
    reader.observed();
    const options = { input: '', env: commandEnvironment() };
    return (await runCommandLine(['explain', `${cluster}/${pool}`, ...args], options)).stdout;
  };

  await expect.poll(async () => await explain()).toContain('This does not end by itself.');
  const screen = (await explain()).replaceAll(/\s+/g, ' ');
  const { reasons } = JSON.parse(await explain('-o', 'json')) as RunExplanation;
  reader.leave();

  expect(screen).toContain('waits: budget default/web has 4 reachable pods and must keep 4.');
  expect(screen).toMatch(/since \S.* UTC, for \d/);
  expect(screen).toMatch(/Budget default\/web needs 4 healthy of its 4 pods, and 1 of them is on the node\./);
  expect(screen).toContain('More of its pods do not help: its maxUnavailable is 0.');
  expect(reasons).toHaveLength(1);
  const [since = Number.NaN] = reasons.map((reason) => reason.since);
  expect(since).toBeGreaterThan(world.clock.now() - 3_600_000);
  expect(since).toBeLessThanOrEqual(world.clock.now());

  const [, spared] = /kubectl -n default edit pdb web, maxUnavailable: (\d+)/.exec(screen) ?? [];
  web.maxUnavailable = Number(spared);
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(report.actions.map(({ action }) => action)).toEqual(['start']);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});
