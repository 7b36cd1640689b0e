import { describe, expect, test } from 'vitest';
import { countEvictionRefusal, countGuardRefusal, measureTraffic } from '../../activities/metrics.ts';
import type { GuardDecision } from '../../core/guard/select-candidate.ts';
import type { ProbeCounts } from '../../ports/traffic.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { createRecordingMeter } from '../support/recording-meter.ts';

/** What is emitted while the body runs in an activity. */
async function emittedBy(body: () => Promise<unknown>) {
  const { meter, emitted } = createRecordingMeter();
  await new MockActivityEnvironment({}, { metricMeter: meter }).run(body);
  return emitted.map(({ name, value, tags }) => ({ name, value, ...tags }));
}

describe('requests', () => {
  test('are counted by probe as they come, each once', async () => {
    const counted: ProbeCounts[] = [
      { sent: 15, lost: 1, slow: 0, sentBy: { web: 10, api: 5 }, lostBy: { web: 1, api: 0 }, failureBy: {} },
      { sent: 15, lost: 1, slow: 0, sentBy: { web: 10, api: 5 }, lostBy: { web: 1, api: 0 }, failureBy: {} },
      { sent: 18, lost: 3, slow: 0, sentBy: { web: 12, api: 6 }, lostBy: { web: 1, api: 2 }, failureBy: {} },
    ];
    const next = () => counted.shift() ?? { sent: 0, lost: 0, slow: 0, sentBy: {}, lostBy: {}, failureBy: {} };
    const emitted = await emittedBy(async () => {
      const watch = measureTraffic({ counts: next, stop: async () => next() });
      watch.counts();
      watch.counts();
      expect(await watch.stop()).toMatchObject({ sent: 18, lost: 3 });
    });
    const sum = (name: string, probe: string) =>
      emitted
        .filter((one) => one.name === name && 'probe' in one && one.probe === probe)
        .reduce((all, { value }) => all + value, 0);
    expect({ web: sum('nodeferry_requests_sent', 'web'), api: sum('nodeferry_requests_sent', 'api') }).toEqual({
      web: 12,
      api: 6,
    });
    expect({ web: sum('nodeferry_requests_lost', 'web'), api: sum('nodeferry_requests_lost', 'api') }).toEqual({
      web: 1,
      api: 2,
    });
  });

  test('are there from the start, so that the first lost one is an increase', async () => {
    const counts = { sent: 0, lost: 0, slow: 0, sentBy: { web: 0 }, lostBy: { web: 0 }, failureBy: {} };
    const emitted = await emittedBy(async () => {
      measureTraffic({ counts: () => counts, stop: async () => counts }).counts();
    });
    expect(emitted).toContainEqual({ name: 'nodeferry_requests_lost', value: 0, probe: 'web' });
  });
});

describe('refusals', () => {
  const blocked = { node: 'n1', limit: 'zone', needs: 2, has: 2 } as const;

  test.each<[string, Partial<GuardDecision>, readonly string[]]>([
    ['by a block, as its kind', { blockedBy: blocked }, ['zone']],
    ['because nothing can be relied on', {}, ['unverified']],
    ['not when a node may go', { node: { name: 'n1', uid: 'u', instanceId: 'i', zone: 'a' } }, []],
    ['not when observations have only to agree for longer', { stableInMs: 5_000 }, []],
  ])('of the guard are counted: %s', async (_, decision, reasons) => {
    const emitted = await emittedBy(async () => {
      countGuardRefusal({
        node: undefined,
        reason: 'n1 waits: web has 2 and must keep 2',
        stableSince: {},
        ...decision,
      });
    });
    expect(emitted).toEqual(reasons.map((reason) => ({ name: 'nodeferry_guard_refusals', value: 1, reason })));
  });

  test('of evictions are counted by who refused, and only refusals', async () => {
    const emitted = await emittedBy(async () => {
      countEvictionRefusal({ outcome: 'blocked', by: 'budget', reason: 'budget web', retryAfterMs: 1 });
      countEvictionRefusal({ outcome: 'blocked', by: 'server', reason: 'slow down', retryAfterMs: 1 });
      countEvictionRefusal({ outcome: 'impossible', reason: 'two budgets' });
      countEvictionRefusal({ outcome: 'done' });
      countEvictionRefusal({ outcome: 'gone' });
    });
    expect(emitted.map((one) => 'reason' in one && one.reason)).toEqual(['budget', 'server', 'impossible']);
  });
});
