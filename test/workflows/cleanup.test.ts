/** A terminated run rolls nothing back; a cleanup does, without Temporal. */
import { describe, expect, test } from 'vitest';
import { cleanUp, findLeftoversOf } from '../../client/cleanup.ts';
import type { CleanupPlan } from '../../core/cleanup/plan-cleanup.ts';
import { poolLockName } from '../../core/model/pool-lock.ts';
import type { PoolCapabilities } from '../../ports/node-pools.ts';
import { nodeReplacementId } from '../../workflows/messages.ts';
import { fromOwner } from '../contract/cases/ownership-subject.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { deleteDeployment } from '../simulator/replica-sets.ts';
import { addBatchPool, createScenario } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { tokenOf } from '../support/suspension.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

/** Terminates a run and the workflows of its nodes as soon as this step begins. Returns the name of the cluster. */
async function terminateAt({ world, start }: Upgrade, step: string): Promise<string> {
  const reached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { harness, handle } = await start({
    before: async (begun) => {
      if (begun !== step) return;
      reached.resolve();
      await ended.promise;
    },
  });
  await reached.promise;
  const [, cluster = ''] = handle.workflowId.split('/');
  const children = world.nodes.map(({ name }) => harness.workflow(nodeReplacementId(cluster, 'web', 'run-1', name)));
  await handle.terminate('terminated by mistake');
  await Promise.allSettled(children.map(async (child) => await child.terminate('neither here')));
  ended.resolve();
  await harness.stop();
  return cluster;
}

async function cleanUpAfter(world: World, cluster: string) {
  const problems: string[] = [];
  const { cluster: kubernetes, pools, clock, loadBalancers } = createSimPorts(world);
  const systems = { cluster: kubernetes, pools, clock, openBalancers: () => loadBalancers };
  const target = { cluster, region: 'eu-west-1', provider: 'eks', pool: 'web', runs: undefined };
  const left = await cleanUp(systems, target, 'cleanup-ann', ({ what, problem }) => {
    if (problem !== undefined) problems.push(`${what}: ${problem}`);
  });
  return { left, problems };
}

test('a cleanup of the pool to which a run moves leaves to that run what it has suspended there', async () => {
  const { world, start } = upgradeOf();
  const { cluster: kubernetes, pools, clock } = createSimPorts(world);
  const plans: CleanupPlan[] = [];
  const { harness, handle } = await start({
    before: async (step) => {
      if (step !== 'awaitDeregistered' || plans.length > 0) return;
      const [, cluster = ''] = handle.workflowId.split('/');
      const target = { cluster, region: 'eu-west-1', provider: 'eks', pool: 'web-new', runs: undefined };
      plans.push(await findLeftoversOf({ cluster: kubernetes, pools, clock }, target));
    },
  });
  expect((await harness.finish(handle)).outcome).toBe('completed');
  expect(plans).toMatchObject([
    { actions: [], leftAlone: [expect.stringMatching(/^pool web-new: run run-1 moves nodes to it/)] },
  ]);
});

describe('a run that was terminated', () => {
  test.each(someOf(['cordonNodes', 'awaitDeregistered', 'awaitConnectionsDrained', 'evictPods', 'removeEndpoints'], 2))(
    'at %s: everything of it is removed except the new nodes, which are in load balancers; nothing is lost',
    async (step) => {
      const upgrade = upgradeOf();
      const { world } = upgrade;
      const cluster = await terminateAt(upgrade, step);
      await expect(cleanUpAfter(world, cluster), 'its lock has not expired').rejects.toThrow(/held by run-1/);
      world.clock.advance(5 * 60_000);
      const { left, problems } = await cleanUpAfter(world, cluster);
      const stays = [expect.stringMatching(/^pool web-new, created by run run-1, has 4 nodes/)];
      expect({ ...left, problems }, world.log.join('\n')).toEqual({
        runs: ['run-1'],
        actions: [],
        stays,
        waits: [],
        leftAlone: [],
        settling: false,
        draining: false,
        problems: [],
      });
      world.clock.advance(10 * 60_000);
      expectNothingLeft(world, 8);
      expectNothingLost(world);
    },
  );

  test('before it had any instance: its new pool is deleted too', async () => {
    const upgrade = upgradeOf();
    const { world } = upgrade;
    world.faults.capacity = 4;
    const cluster = await terminateAt(upgrade, 'awaitNodesReady');
    world.clock.advance(5 * 60_000);
    const { left, problems } = await cleanUpAfter(world, cluster);
    expect({ ...left, problems }).toEqual({
      runs: ['run-1'],
      actions: [],
      stays: [],
      waits: [],
      leftAlone: [],
      settling: false,
      draining: false,
      problems: [],
    });
    world.clock.advance(10 * 60_000);
    expectNothingLeft(world, 4);
    expectNothingLost(world);
    expect(world.pools.map(({ name }) => name)).toEqual(['web']);
  });
});

test('what is suspended for a pool that somebody has deleted is restored, although no run is known any more', async () => {
  const world = createScenario();
  const { cluster, pools, clock, loadBalancers } = createSimPorts(world);
  world.pools = [];
  const token = tokenOf('exclusion');
  const suspended = new Set([token]);
  const scaling: PoolCapabilities['scaling'] = {
    suspend: async () => token,
    findOrphaned: async () => (suspended.has(token) ? { token, what: ['upgrades of nodes'] } : undefined),
    restore: async (_ref, given) => {
      if (given !== undefined) suspended.delete(given);
      return [];
    },
  };
  const systems = { cluster, clock, openBalancers: () => loadBalancers };
  const target = { cluster: 'sim', region: 'eu-west-1', provider: 'eks', pool: 'web', runs: undefined };
  const told: string[] = [];
  const left = await cleanUp(
    { ...systems, pools: { ...pools, capabilitiesOf: (ref) => ({ ...pools.capabilitiesOf(ref), scaling }) } },
    target,
    'cleanup-ann',
    ({ what }) => told.push(what),
  );
  expect(told).toEqual(['pool web: restore upgrades of nodes']);
  expect(left.actions).toEqual([]);
});

test('a cleanup of one pool changes nothing of a run on another pool', async () => {
  const world = createScenario();
  addBatchPool(world);
  const { cluster, pools, clock, loadBalancers } = createSimPorts(world);
  const systems = { cluster, pools, clock, openBalancers: () => loadBalancers };
  const { nodes, pods } = await cluster.observe();
  const [batch] = nodes.filter(({ pool }) => pool === 'batch');
  const [web] = pods.filter(({ labels }) => labels['app'] === 'web');
  if (batch === undefined || web === undefined) throw new Error('the world has no such node or pod');
  // As while that run rolls back: deletion costs are raised wherever a ReplicaSet has pods.
  await cluster.acquireLock(poolLockName('sim', 'batch'), 'batch-run', 60_000);
  await cluster.cordon(batch, 'batch-run');
  await cluster.exclude(batch, 'batch-run');
  await cluster.raiseDeletionCost(web, 'batch-run');
  const before = ownershipOf(world);
  const target = { cluster: 'sim', region: 'eu-west-1', provider: 'eks', pool: 'web', runs: undefined };
  const told: string[] = [];
  const left = await cleanUp(systems, target, 'cleanup-ann', ({ what }) => told.push(what));
  expect(told).toEqual([]);
  expect(left).toEqual({
    runs: [],
    actions: [],
    stays: [],
    waits: [],
    leftAlone: [
      'run batch-run has ownership marks here, but works on a pool other than web, or the cluster has another name: it holds the lock nodeferry-sim-batch',
    ],
    settling: false,
    draining: false,
  });
  expect(ownershipOf(world)).toEqual(before);
  expect(world.leases.has(poolLockName('sim', 'batch'))).toBe(true);
});

describe('pods that a run had released', () => {
  /** All pods of `web` are released on cordoned nodes, as by a run that is gone. */
  async function release(world: World) {
    const { cluster } = createSimPorts(world);
    const { nodes, pods } = await cluster.observe();
    for (const node of nodes) await cluster.cordon(node, 'run-1');
    const web = pods.filter(({ labels }) => labels['app'] === 'web');
    for (const pod of web) await cluster.release(pod, fromOwner(pod), 'run-1');
    world.clock.advance(30_000);
    return web.map(({ name }) => name);
  }

  async function cleanUpAll(world: World) {
    const { cluster, pools, loadBalancers } = createSimPorts(world);
    const openBalancers = () => loadBalancers;
    const clock = { now: () => world.clock.now(), sleep: async (ms: number) => world.clock.advance(ms) };
    const told: string[] = [];
    const target = { cluster: 'sim', region: 'eu-west-1', provider: 'eks', pool: 'web', runs: undefined };
    const left = await cleanUp({ cluster, pools, clock, openBalancers }, target, 'cleanup-ann', ({ what, problem }) =>
      told.push(problem === undefined ? what : `${what}: ${problem}`),
    );
    world.clock.advance(30_000);
    return { left, told };
  }

  const namesOf = (world: World) =>
    world.pods.filter(({ of, terminating }) => of === 'web' && !terminating).map(({ name }) => name);

  test('are adopted while their replacements don’t run: the same pods as before, nothing lost', async () => {
    const world = createScenario();
    const before = await release(world);
    const { left, told } = await cleanUpAll(world);
    expect(left).toMatchObject({ runs: ['run-1'], actions: [], stays: [], waits: [], leftAlone: [], settling: false });
    expect(told).toContain(`pod default/${before[0] ?? ''}: restore its deletion cost`);
    expect(namesOf(world)).toEqual(before);
    expectNothingLeft(world, 4);
    expectNothingLost(world);
  });

  test('continue to serve where replacements serve, and are reported; nothing is lost', async () => {
    const world = createScenario();
    const before = await release(world);
    for (const node of world.nodes.slice(0, 1)) node.cordoned = false;
    world.changed();
    world.clock.advance(60_000);
    const { left } = await cleanUpAll(world);
    expect(left).toMatchObject({ actions: [], settling: false });
    expect(left.stays).toHaveLength(before.length);
    expect(left.stays[0]).toMatch(
      /^pod default\/web-\d+, released by run run-1, still serves: Deployment default\/web has as many serving pods/,
    );
    expect(namesOf(world)).toEqual(expect.arrayContaining(before));
    expectNothingLost(world);
  });

  test('and that continue to serve are evicted in order by the next run', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    await release(world);
    for (const node of world.nodes) node.cordoned = false;
    world.changed();
    world.clock.advance(60_000);
    const { left } = await cleanUpAll(world);
    expect(left.stays).toHaveLength(4);
    expect(left.stays[0]).toContain('keep it until a run replaces its node, or delete it when');
    const { harness, handle } = await start({}, { run: 'run-2' });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(namesOf(world)).toHaveLength(4);
  });

  test('stay while a Service sends to them, although their Deployment is gone', async () => {
    const world = createScenario();
    const before = await release(world);
    deleteDeployment(world, 'web');
    world.clock.advance(30_000);
    const { left } = await cleanUpAll(world);
    expect(left.actions).toEqual([]);
    expect(left.stays).toHaveLength(4);
    expect(left.stays[0]).toContain('serves default/web, although Deployment default/web is gone');
    expect(namesOf(world)).toEqual(before);
    expectNothingLost(world);
  });

  test('are deleted when their Deployment and their Service are gone', async () => {
    const world = createScenario();
    await release(world);
    deleteDeployment(world, 'web');
    world.services = world.services.filter(({ key }) => key !== 'default/web');
    world.clock.advance(30_000);
    const { left, told } = await cleanUpAll(world);
    expect(left).toMatchObject({ actions: [], stays: [] });
    expect(told.filter((what) => what.endsWith('delete; its workload is gone'))).toHaveLength(4);
    expect(namesOf(world)).toEqual([]);
  });
});
