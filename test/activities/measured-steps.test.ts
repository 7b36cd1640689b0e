import { expect, test } from 'vitest';
import { createPodExecutor } from '../../activities/pod-executor.ts';
import type { PodAction } from '../../core/eviction/actions.ts';
import { createObserver } from '../../operations/observer.ts';
import { later } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { createRecordingMeter } from '../support/recording-meter.ts';
import { upgradeOf } from '../support/upgrade-of.ts';
import { lockPool, run } from './lock-pool.ts';

/** A scenario in which the run holds its pool, and an activity whose metrics are kept. */
function openScene() {
  const locked = lockPool(upgradeOf());
  const { meter, emitted } = createRecordingMeter();
  const environment = new MockActivityEnvironment({ activityId: 'step' }, { metricMeter: meter });
  const act = async <T>(body: () => Promise<T>) => await locked.attempt('step', body, environment);
  return { ...locked, emitted, environment, act };
}

test('the watch over a run counts what the probes send and lose', async () => {
  const { world, policy, lock, activities, emitted, act } = openScene();
  later(world, 10_000, () => void (world.traffic.lost += 3));
  const base = { sent: 500, lost: 2, slow: 0 };
  const { counts } = await act(
    async () => await activities.monitorRun({ policy, lock, base, budget: 100, reportIntervalMs: 120_000 }),
  );
  const sum = (name: string) => emitted.filter((one) => one.name === name).reduce((all, { value }) => all + value, 0);
  expect(counts.lost).toBe(5);
  // What was counted before is not this worker's.
  expect(sum('nodeferry_requests_lost')).toBe(3);
  expect(sum('nodeferry_requests_sent')).toBe(counts.sent - base.sent);
});

test('the guard that allows no node is counted, with what it says', async () => {
  const { world, policy, activities, step, next, emitted, environment, act } = openScene();
  const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
  for (const node of world.nodes) node.annotations['karpenter.sh/do-not-disrupt'] = 'true';
  world.changed();
  environment.on('heartbeat', ({ reason }: { readonly reason: string }) => {
    if (reason.includes('do-not-disrupt')) environment.cancel();
  });
  const input = { ...next(), baselines: plan.baselines, inFlight: [], waiting: plan.nodes };
  await expect(act(async () => await activities.excludeNext(input))).rejects.toThrow();
  expect(emitted[0]).toMatchObject({ name: 'nodeferry_guard_refusals', value: 1, tags: { reason: 'do-not-disrupt' } });
});

test('an eviction that the API server refuses is counted', async () => {
  const { world, policy, ports, emitted, act } = openScene();
  const [pod] = world.pods;
  if (pod === undefined) throw new Error('no pod');
  const cluster: typeof ports.cluster = {
    ...ports.cluster,
    evict: async () => ({ outcome: 'blocked-by-budget', message: 'budget web', retryAfterMs: 1_000 }),
  };
  const refusing = { ...ports, cluster };
  const action: PodAction = { kind: 'evict', pod };
  const fence = { check: async () => undefined };
  const acting = { run, fence, decide: () => [action], policy, leaving: undefined };
  await act(async () => {
    const facts = await cluster.observe();
    const executor = createPodExecutor(refusing, createObserver(refusing));
    await executor.executeAll([action], acting, { facts, rejected: {} });
  });
  expect(emitted).toMatchObject([{ name: 'nodeferry_evictions_refused', value: 1, tags: { reason: 'budget' } }]);
});
