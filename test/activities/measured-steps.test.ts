import { expect, test } from 'vitest';
import { createActivities } from '../../activities/activities.ts';
import type { ExcludeInput } from '../../activities/exclusion.ts';
import { poolLockOf } from '../../activities/fence.ts';
import { createPodExecutor } from '../../activities/pod-executor.ts';
import type { PodAction } from '../../core/eviction/actions.ts';
import type { NodeRef } from '../../core/model/node.ts';
import { createObserver } from '../../operations/observer.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { later } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { inActivity } from '../support/in-activity.ts';
import { createRecordingMeter } from '../support/recording-meter.ts';

const run = 'run-1';

/** A scenario in which the run holds its pool, and an activity whose metrics are kept. */
function openScene() {
  const world = createScenario();
  const policy = scenarioPolicy();
  const lock = { name: poolLockOf(policy), holder: run, token: 1 };
  world.leases.set(lock.name, { ...lock, expiresAt: world.clock.now() + 3_600_000 });
  const { meter, emitted } = createRecordingMeter();
  const environment = new MockActivityEnvironment({ activityId: 'step' }, { metricMeter: meter });
  const act = async <T>(body: () => Promise<T>) => await inActivity(world, 'step', body, environment);
  return { world, policy, lock, ports: createSimPorts(world), emitted, environment, act };
}

test('the watch over a run counts what the probes send and lose', async () => {
  const { world, policy, lock, ports, emitted, act } = openScene();
  later(world, 10_000, () => void (world.traffic.lost += 3));
  const { monitorRun } = createActivities(ports);
  const base = { sent: 500, lost: 2, slow: 0 };
  const { counts } = await act(
    async () => await monitorRun({ policy, lock, base, budget: 100, reportIntervalMs: 120_000 }),
  );
  const sum = (name: string) => emitted.filter((one) => one.name === name).reduce((all, { value }) => all + value, 0);
  expect(counts.lost).toBe(5);
  // What was counted before is not this worker's.
  expect(sum('nodeferry_requests_lost')).toBe(3);
  expect(sum('nodeferry_requests_sent')).toBe(counts.sent - base.sent);
});

test('the guard that allows no node is counted, with what it says', async () => {
  const { world, policy, ports, emitted, environment, act } = openScene();
  const { preflight, excludeNext } = createActivities(ports);
  const { plan } = (await inActivity(world, 'preflight', async () => await preflight({ run, policy }))) as {
    readonly plan: Pick<ExcludeInput, 'baselines'> & { readonly nodes: readonly NodeRef[] };
  };
  for (const node of world.nodes) node.annotations['karpenter.sh/do-not-disrupt'] = 'true';
  world.changed();
  environment.on('heartbeat', ({ reason }: { readonly reason: string }) => {
    if (reason.includes('do-not-disrupt')) environment.cancel();
  });
  const input = { run, policy, sequence: 1, baselines: plan.baselines, inFlight: [], waiting: plan.nodes };
  await expect(act(async () => await excludeNext(input))).rejects.toThrow();
  expect(emitted[0]).toMatchObject({ name: 'nodeferry_guard_refusals', value: 1, tags: { reason: 'do-not-disrupt' } });
});

test('an eviction that the API server refuses is counted', async () => {
  const { world, ports, emitted, act } = openScene();
  const [pod] = world.pods;
  if (pod === undefined) throw new Error('no pod');
  const cluster: typeof ports.cluster = {
    ...ports.cluster,
    evict: async () => ({ outcome: 'blocked-by-budget', message: 'budget web', retryAfterMs: 1_000 }),
  };
  const refusing = { ...ports, cluster };
  const action: PodAction = { kind: 'evict', pod };
  const acting = { run, fence: { check: async () => undefined }, decide: () => [action], leaving: undefined };
  await act(async () => {
    const facts = await cluster.observe();
    const executor = createPodExecutor(refusing, createObserver(refusing));
    await executor.executeAll([action], acting, { facts, rejected: {} });
  });
  expect(emitted).toMatchObject([{ name: 'nodeferry_evictions_refused', value: 1, tags: { reason: 'budget' } }]);
});
