import { expect, test } from 'vitest';
import { decideEligibility } from '../../core/pod-surge/eligibility.ts';
import type { EvictionOutcome } from '../../ports/cluster/pod-actions.ts';
import { upgradeOf } from '../support/upgrade-of.ts';
import { createActivities, lockPool, run } from './lock-pool.ts';

/** A run with a released pod that its ReplicaSet has replaced; the eviction API gives that answer for it, `times` times. */
async function evictReleased(answer: EvictionOutcome, times: number) {
  const { world, policy, ports, attempt, next } = lockPool(upgradeOf({ podSurge: {} }));
  const cluster = await ports.cluster.observe();
  const pod = cluster.pods.find(({ workload }) => workload === 'Deployment default/api');
  const eligibility =
    pod && decideEligibility(pod, { cluster, policy, sharedVolumeClaims: new Set(), denials: new Map() });
  if (eligibility?.eligible !== true) throw new Error('no pod that can be released');
  await ports.cluster.release(pod as NonNullable<typeof pod>, eligibility.from, run);
  world.clock.advance(2 * 60_000);
  const asked: number[] = [];
  const evict: typeof ports.cluster.evict = async (ref, options) => {
    if (ref.uid !== pod?.uid) return await ports.cluster.evict(ref, options);
    asked.push(world.clock.now());
    return asked.length <= times ? answer : await ports.cluster.evict(ref, options);
  };
  const activities = createActivities({ ...ports, cluster: { ...ports.cluster, evict } });
  const began = world.clock.now();
  const outcome = await attempt('evict', async () => await activities.evictReleased(next()));
  world.clock.stop();
  const left = world.pods.filter(({ uid, terminating }) => uid === pod?.uid && !terminating);
  return { outcome, asked, left, tookMs: world.clock.now() - began };
}

test('a released pod that no ReplicaSet adopts leaves', async () => {
  const { outcome, left } = await evictReleased({ outcome: 'evicted' }, 0);
  expect(outcome).toMatchObject({ outcome: 'done' });
  expect(left).toEqual([]);
});

test('one whose eviction is rejected permanently calls an operator at once, in the words of the API server', async () => {
  const answer = { outcome: 'impossible', message: 'it has more than one PodDisruptionBudget' } as const;
  const { outcome, left, tookMs } = await evictReleased(answer, Number.POSITIVE_INFINITY);
  expect(outcome).toMatchObject({
    outcome: 'failed',
    problem: { code: 'Conflict', message: expect.stringContaining(answer.message) },
  });
  expect(left).toHaveLength(1);
  expect(tookMs).toBeLessThan(60_000);
});
