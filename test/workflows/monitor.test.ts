/** What a run reports about its traffic, and what happens to the counts when the watch fails. */
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { exitCodeOfReport } from '../../client/output/exit-code-of-report.ts';
import { exitCodes } from '../../client/output/exit-codes.ts';
import type { RunStatus } from '../../core/status/status.ts';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { lastCountsIn } from '../../workflows/run/last-counts.ts';
import { excludeLabel } from '../simulator/membership.ts';
import { howLost } from '../simulator/ports.ts';
import { loseRequests } from '../simulator/traffic.ts';
import type { World } from '../simulator/world.ts';
import { variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'fixed' };
const probe = { name: 'web', urls: ['http://web.example/'], ratePerSecond: 10, timeoutMs: 1_000 };

/** With a probe, which sends and loses what the world's traffic does. */
function watched(lossBudget: number): UpgradeScene {
  return { policy: { traffic: { probes: [probe], lossBudget } } };
}

/** Requests that the world sends in a second: 100 to each of its three Services. */
const sentPerSecond = 300;

describe('during a run', () => {
  test('its details show counts that are a few minutes old at most, and never fall', async () => {
    const { world, start } = upgradeOf(watched(0));
    const begunAt = world.clock.now();
    const ages: number[] = [];
    const counts: number[] = [];
    const { harness, handle } = await start({
      before: async (step) => {
        if (step !== 'removeEndpoints') return;
        const page = await harness
          .workflow(workflowId)
          .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
        const sent = Number(/Traffic: (\d+) sent, \*\*0 lost\*\*/.exec(page.currentDetails ?? '')?.[1]);
        counts.push(sent);
        ages.push(world.clock.now() - begunAt - (sent / sentPerSecond) * 1_000);
      },
    });
    const { workflowId } = handle;
    const report = await harness.finish(handle);
    expect(counts.filter((sent) => sent > 0).length).toBeGreaterThan(0);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(Math.max(...ages)).toBeLessThanOrEqual(6 * 60_000);
    expect(report.traffic.sent).toBeGreaterThan(Math.max(...counts));
    expect(report.traffic).not.toHaveProperty('unwatchedMs');
  });

  test('its first lost request is reported at once', async () => {
    const { world, start } = upgradeOf(watched(10));
    let told: RunStatus | undefined;
    const { harness, handle } = await start({
      before: async (step) => {
        if (step !== 'cordonNodes') return;
        loseRequests(world, 1);
        told = undefined;
      },
      after: async (step) => {
        if (step !== 'awaitDeregistered' || told !== undefined) return;
        told = await harness.until(handle, 'the loss is told', ({ traffic }) => traffic.lost > 0);
      },
    });
    const report = await harness.finish(handle);
    expect(told?.traffic.lost).toBe(1);
    expect(report.traffic.lost).toBe(1);
    expect(exitCodeOfReport(report)).toBe(exitCodes.lostByOthers);
  });

  variation(
    'requests lost before any node is excluded are reported, but neither pause it nor count against its budget',
    async () => {
      const { world, start } = upgradeOf(watched(0));
      const { harness, handle } = await start({
        before: (step) => {
          if (step === 'createPool' || step === 'cordonNodes') loseRequests(world, 2);
        },
      });
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expect(report.actions.map(({ action }) => action)).toEqual(['start']);
      expect(report.traffic).toMatchObject({ lost: 4, losses: [{ probe: 'web', lost: 4, whileNoneOut: 4 }] });
      expect(exitCodeOfReport(report)).toBe(exitCodes.lostByOthers);
    },
  );

  test('one request lost while a node is excluded pauses it, and the message names probe and node', async () => {
    const { world, start } = upgradeOf(watched(0));
    let losing: string | undefined;
    const logged: string[] = [];
    const { harness, handle } = await start({
      logged: (message) => logged.push(message),
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || losing !== undefined) return;
        losing = world.nodes.find(({ annotations }) => annotations['nodeferry.dev/excluded-by'] !== undefined)?.name;
        loseRequests(world, 1);
      },
    });
    const { paused } = await harness.until(handle, 'paused', (status) => status.paused !== undefined);
    expect(paused?.reason).toMatch(
      /^1 request lost, the budget is 0: web lost 1 since \d\d:\d\d:\d\d UTC \(.+\), while /,
    );
    expect(paused?.reason).toContain(`(${howLost})`);
    expect(paused?.reason).toContain(losing);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    const needs = logged.filter((message) => message.includes('operator'));
    expect(needs).toEqual([
      `the run needs an operator: paused by nodeferry: ${paused?.reason}`,
      'the run needs no operator any more',
    ]);
    expect(report.traffic.losses).toMatchObject([{ lost: 1, whileNoneOut: 0 }]);
    expect(exitCodeOfReport(report)).toBe(exitCodes.lossy);
  });

  test('nodes that are just being excluded when it is paused for losses are restored, and nothing else is done to them', async () => {
    const { world, start } = upgradeOf(watched(0));
    let isPaused = false;
    let hasLost = false;
    const begun: string[] = [];
    const { harness, handle } = await start({
      before: (step) => {
        if (isPaused) begun.push(step);
      },
      after: async (step) => {
        if (step !== 'excludeNext' || hasLost) return;
        [hasLost, isPaused] = [true, true];
        loseRequests(world, 1);
        // Its answer comes once the monitor has noticed.
        await world.clock.sleep(60_000);
      },
    });
    await harness.until(
      handle,
      'they are back',
      ({ nodes }) =>
        nodes.every(({ step }) => step === 'pending') &&
        nodes.some(({ evidence }) => evidence.some(({ kind }) => kind === 'restored')),
    );
    isPaused = false;
    expect([...new Set(begun)].toSorted()).toEqual(['monitorRun', 'restoreNode']);
    expect(world.nodes.filter(({ labels }) => labels[excludeLabel] !== undefined)).toEqual([]);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLeft(world, 4);
  });

  variation('more lost requests than the budget allows pause it once, and the report says how many', async () => {
    const { world, start } = upgradeOf(watched(10));
    let losing = false;
    const { harness, handle } = await start({
      before: (step) => {
        if (step !== 'awaitConnectionsDrained' || losing) return;
        losing = true;
        loseRequests(world, 50);
      },
    });
    const paused = await harness.until(handle, 'paused', (status) => status.paused !== undefined);
    expect(paused.paused?.by).toBe('nodeferry');
    expect(paused.paused?.reason).toContain('50 requests lost, the budget is 10');
    await harness.until(handle, 'nobody on the way', (status) =>
      status.nodes.every((node) => node.step === 'pending' || node.step === 'replaced'),
    );
    // Losses that are reported while it is paused do not pause it again.
    loseRequests(world, 40);
    await harness.until(handle, 'more is told', ({ traffic }) => traffic.lost === 90);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expect(report.traffic.lost).toBe(90);
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'pause', 'resume']);
  });
});

test('requests lost between two monitors are counted by the second', async () => {
  const { world, start } = upgradeOf(watched(10));
  let watches = 0;
  const { harness, handle } = await start({
    before: (step) => {
      if (step !== 'monitorRun') return;
      watches += 1;
      if (watches === 2) loseRequests(world, 7);
    },
  });
  const report = await harness.finish(handle);
  expect(watches).toBeGreaterThan(1);
  expect(report.traffic.lost).toBe(7);
});

/** Has the watch fail at its next renewal of the lock on the pool; for good, unless the error is retryable. */
function breakWatch(world: World, error: Error = ApplicationFailure.nonRetryable('a bug')): void {
  world.faults.onRenewal = (lease) => {
    if (!lease.endsWith('-web')) return;
    world.faults.onRenewal = () => undefined;
    throw error;
  };
}

describe('a monitor that fails for good', () => {
  test('keeps its counts, the next continues from them, and the gap is reported', async () => {
    const { world, start } = upgradeOf(watched(10));
    let watches = 0;
    const { harness, handle } = await start({
      before: async (step) => {
        // The first watch ends with the first loss, which it reports.
        if (step === 'createPool') loseRequests(world, 3);
        if (step === 'cordonNodes') breakWatch(world);
        if (step !== 'monitorRun') return;
        watches += 1;
        if (watches === 3) await world.clock.sleep(60_000);
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.actions.map(({ action }) => action)).toEqual(['start']);
    expect(report.traffic.lost).toBe(3);
    expect(exitCodeOfReport(report)).toBe(exitCodes.lostByOthers);
    const { unwatchedMs = 0, unwatched = [] } = report.traffic;
    expect(unwatchedMs).toBeGreaterThanOrEqual(60_000);
    expect(unwatched.map(({ from, to }) => to - from)).toEqual([unwatchedMs]);
    const watchedMs = (report.finishedAt ?? 0) - report.startedAt - unwatchedMs;
    expect(Math.abs(report.traffic.sent / sentPerSecond - watchedMs / 1_000)).toBeLessThan(10);
    expectNothingLeft(world, 4);
  });

  test.each([
    { until: 'some of it has been seen', seenSeconds: 60 },
    { until: 'anything has been seen', seenSeconds: 0 },
  ])(
    'and is being retried as the run ends, before $until, reports the counts of its heartbeats, the rest as a gap',
    async ({ seenSeconds }) => {
      const { world, start } = upgradeOf({
        policy: { traffic: { probes: [probe], lossBudget: 0, watchAfterMs: 30_000 } },
      });
      let broken = seenSeconds === 0;
      let watches = 0;
      // The abort ends the first watch; the counts of the second are only in its heartbeats.
      const second = Promise.withResolvers<void>();
      const { harness, handle } = await start({
        before: async (step) => {
          if (step === 'createPool') {
            await world.clock.sleep(seenSeconds * 1_000);
            await handle.executeUpdate(abortUpdate, { args: [operator] });
          }
          if (step === 'sleepFor' && !broken) {
            await second.promise;
            broken = true;
            breakWatch(world, new Error('its worker dies'));
          }
          if (step !== 'monitorRun') return;
          watches += 1;
          if (!broken) return;
          // The next attempt has not begun when the run stops its watch.
          await world.clock.sleep(35_000);
          throw new Error('its worker has died before it said anything');
        },
        progress: (step) => {
          if (step === 'monitorRun' && watches === 2) second.resolve();
        },
      });
      const report = await harness.finish(handle);
      const { sent, unwatchedMs = 0 } = report.traffic;
      const seconds = ((report.finishedAt ?? 0) - report.startedAt) / 1_000;
      // The heartbeats of the last watch cover some seconds after the result of the one before.
      if (seenSeconds > 0) expect(sent / sentPerSecond).toBeGreaterThan(seenSeconds + 5);
      expect(unwatchedMs).toBeGreaterThan(10_000);
      expect(Math.abs(sent / sentPerSecond + unwatchedMs / 1_000 - seconds)).toBeLessThan(30);
    },
  );

  variation('as soon as it begins stalls the run, and another continues from the counts after a resume', async () => {
    const { world, start } = upgradeOf(watched(10));
    let watches = 0;
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'monitorRun') watches += 1;
        if (step === 'cordonNodes' || (step === 'monitorRun' && watches === 2)) breakWatch(world);
      },
    });
    const asking = await harness.until(handle, 'asks', ({ stalled }) => stalled !== undefined);
    expect(asking.stalled).toMatchObject({ code: 'Internal', message: 'a bug' });
    expect(asking.traffic.sent).toBeGreaterThan(60 * sentPerSecond);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.traffic.sent).toBeGreaterThan(asking.traffic.sent);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

test.each([
  ['its workers died', (tally: object) => new TimeoutFailure('activity Heartbeat timeout', tally, 'HEARTBEAT')],
  ['it failed', (tally: object) => ApplicationFailure.nonRetryable('a bug', 'TypeError', tally)],
])('what a watch has counted is found when %s', (_, causeOf) => {
  const tally = { traffic: { sent: 7, lost: 1, slow: 0 }, since: 1, seenAt: 2 };
  const failureOf = (cause: Error) =>
    new ActivityFailure('Activity task failed', 'monitorRun', '1', 'MAXIMUM_ATTEMPTS_REACHED', undefined, cause);
  expect(lastCountsIn(failureOf(causeOf(tally)))).toEqual(tally);
  expect(lastCountsIn(failureOf(causeOf({ reason: 'something else' })))).toBeUndefined();
});
