import { describe, expect, test } from 'vitest';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Heartbeat } from '../../core/status/heartbeat.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { later, type SimPod, type World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';
import { createActivities, lockPool, run } from './lock-pool.ts';

/** Cleans up after a run that holds its pool; `hear` gets what the step reports meanwhile. */
async function cleanUpAfter(upgrade: Upgrade, hear: (told: Heartbeat) => void = () => undefined) {
  const { activities, attempt, lock, next } = lockPool(upgrade);
  const environment = new MockActivityEnvironment({ activityId: 'clean-up' });
  environment.on('heartbeat', hear);
  return await attempt('clean-up', async () => await activities.cleanUp({ ...next(), lock }), environment);
}

/** A pod of `api` that the run has removed from endpoints, and that its controller has released: it has a replacement. */
async function removeEndpointsOfOne(world: World): Promise<SimPod> {
  const pod = world.pods.find(({ of }) => of === 'api');
  if (pod === undefined) throw new Error('no pod');
  await createSimPorts(world).cluster.removeEndpoints(pod, ['app'], run);
  return pod;
}

test('a run releases the locks that its steps could not release, and no others', async () => {
  const upgrade = upgradeOf();
  const { world } = upgrade;
  const expiresAt = world.clock.now() + 3_600_000;
  world.leases.set('nodeferry-exclude', { holder: `${run}/workflow.3.1`, token: 4, expiresAt });
  world.leases.set('disrupt-default-api', { holder: 'run-10/workflow.3.1', token: 2, expiresAt });
  expect(await cleanUpAfter(upgrade)).toMatchObject({ outcome: 'done', left: [] });
  expect([...world.leases.keys()]).toEqual(['disrupt-default-api']);
});

test('a run that does not know its lock releases what it finds', async () => {
  const { world, activities, attempt, next } = lockPool(upgradeOf());
  const expiresAt = world.clock.now() + 3_600_000;
  world.leases.set('nodeferry-sim-other', { holder: 'run-10', token: 1, expiresAt });
  expect(await attempt('clean-up', async () => await activities.cleanUp(next()))).toMatchObject({ left: [] });
  world.clock.stop();
  expect([...world.leases.keys()]).toEqual(['nodeferry-sim-other']);
});

test('an attempt at the lock that fails once it has it does not keep it', async () => {
  const { world, policy, lock, ports, attempt } = lockPool(upgradeOf());
  world.leases.delete(lock.name);
  const problem = { code: 'Forbidden', message: 'leases may not be listed' } as const;
  const cluster = { ...ports.cluster, findRunsMovingTo: async () => Promise.reject(new NodeferryError(problem)) };
  const { acquireLock } = createActivities({ ...ports, cluster });
  const error = await attempt('lock', async () => await acquireLock({ policy, run })).catch(
    (thrown: unknown) => thrown,
  );
  world.clock.stop();
  expect(error).toMatchObject({ type: 'Forbidden' });
  expect([...world.leases.keys()]).toEqual([]);
});

test('an attempt at the lock that will be repeated keeps it, because another attempt may have it by now', async () => {
  const { world, policy, lock, ports, attempt } = lockPool(upgradeOf());
  world.leases.delete(lock.name);
  const seen: string[][] = [];
  const findRunsMovingTo: typeof ports.cluster.findRunsMovingTo = async (pool) => {
    seen.push([...world.leases.keys()]);
    if (seen.length < 3) throw new NodeferryError({ code: 'ClusterUnreachable', message: 'no answer' });
    return await ports.cluster.findRunsMovingTo(pool);
  };
  let released = 0;
  const releaseLock: typeof ports.cluster.releaseLock = async (held) => {
    released += 1;
    await ports.cluster.releaseLock(held);
  };
  const { acquireLock } = createActivities({ ...ports, cluster: { ...ports.cluster, findRunsMovingTo, releaseLock } });
  const ended = await attempt('lock', async () => await acquireLock({ policy, run }));
  world.clock.stop();
  expect(ended).toMatchObject({ outcome: 'done' });
  expect({ seen, released }).toEqual({ seen: [[lock.name], [lock.name], [lock.name]], released: 0 });
});

describe('a pod that has been replaced already', () => {
  test('is evicted only once it has left its EndpointSlices and that has propagated', async () => {
    const upgrade = upgradeOf();
    const { world } = upgrade;
    await createSimPorts(world).cluster.observe();
    world.faults.slicesFrozen = true;
    const pod = await removeEndpointsOfOne(world);
    const thawedAt = world.clock.now() + 60_000;
    let endedAt = 0;
    later(world, 60_000, () => {
      world.faults.slicesFrozen = false;
    });
    const reasons = new Set<string>();
    const ended = await cleanUpAfter(upgrade, ({ reason }) => {
      reasons.add(reason);
      if (pod.terminating && endedAt === 0) endedAt = world.clock.now();
    });
    expect(ended).toMatchObject({ outcome: 'done', left: [] });
    expect(pod.terminating).toBe(true);
    expect(world.clock.now()).toBeGreaterThanOrEqual(thawedAt + 7_000);
    expect([...reasons].join('\n')).toContain('still an endpoint of default/api');
    expect(world.traffic.lost, world.log.join('\n')).toBe(0);
  });

  /** A budget that still counts the pod, by a label that it has kept. */
  async function openBudget(world: World): Promise<SimPod> {
    const pod = await removeEndpointsOfOne(world);
    (pod.labels as Record<string, string>)['tier'] = 'back';
    world.budgets.push({ name: 'tier', selector: { tier: 'back' }, minAvailable: 1 });
    return pod;
  }

  test('and is blocked by a budget is tried again, which is reported, and leaves as soon as the budget allows', async () => {
    const upgrade = upgradeOf();
    const { world } = upgrade;
    const pod = await openBudget(world);
    let blocked: Heartbeat['blocked'];
    later(world, 120_000, () => {
      world.budgets = world.budgets.filter(({ name }) => name !== 'tier');
    });
    const ended = await cleanUpAfter(upgrade, (told) => {
      if (told.blocked !== undefined && told.blocked.length > 0) blocked = told.blocked;
    });
    expect(ended).toMatchObject({ outcome: 'done', left: [] });
    expect(pod.terminating).toBe(true);
    expect(blocked).toMatchObject([
      { pod: `default/${pod.name}`, reason: expect.stringContaining('disruption budget tier') },
    ]);
  });

  test('and is blocked by a budget for ever is left over with the reason, after the eviction deadline', async () => {
    const upgrade = upgradeOf();
    const { world } = upgrade;
    const pod = await openBudget(world);
    const begun = world.clock.now();
    const ended = await cleanUpAfter(upgrade);
    expect(ended).toMatchObject({
      outcome: 'done',
      left: [
        expect.stringMatching(new RegExp(`^pod default/${pod.name}: .*refused: .*disruption budget tier needs 1`)),
      ],
    });
    expect(pod.terminating).toBe(false);
    expect(world.clock.now() - begun).toBe(upgrade.policy.waits.deadlines.evictionMs);
    expect([...world.leases.keys()]).toEqual([]);
  });

  test('keeps the ownership of its own node until then, and of no other', async () => {
    const upgrade = upgradeOf();
    const { world } = upgrade;
    const pod = await openBudget(world);
    const [other] = world.nodes.filter(({ name }) => name !== pod.node);
    const ports = createSimPorts(world);
    for (const node of world.nodes) await ports.cluster.cordon(node, run);
    let cordoned: readonly string[] = [];
    await cleanUpAfter(upgrade, ({ blocked }) => {
      if ((blocked ?? []).length > 0) cordoned = world.nodes.filter((node) => node.cordoned).map(({ name }) => name);
    });
    expect(cordoned).toEqual([pod.node]);
    expect(cordoned).not.toContain(other?.name);
    expect(world.nodes.filter((node) => node.cordoned)).toEqual([]);
  });
});
