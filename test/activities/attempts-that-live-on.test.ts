/**
 * Attempts at steps of the pool that live on beside their successors: their worker can't reach Temporal, which considers them lost,
 * but still reaches the cluster.
 */

import { describe, expect, test } from 'vitest';
import type { FencingToken } from '../../core/model/node.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { Ports } from '../../ports/ports.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import type { World } from '../simulator/world.ts';
import { MockActivityEnvironment } from '../support/activity-environment.ts';
import { inActivity } from '../support/in-activity.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';
import { exclude } from './leaving-nodes.ts';
import { createActivities, type LockedPool, lockPool, run } from './lock-pool.ts';

interface LivingOn extends LockedPool {
  readonly plan: PoolPlan;
  /** An attempt whose result nobody waits for any more. */
  readonly liveOn: (body: () => Promise<unknown>) => { ended(): Promise<unknown> };
}

/** A run with new nodes and cordoned old nodes. */
async function openScene(scene: UpgradeScene = {}): Promise<LivingOn> {
  const locked = lockPool(upgradeOf(scene));
  const { policy, activities, attempt, step, next } = locked;
  const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
  await step('create', async () => await activities.createPool({ ...next(), plan }));
  const awaited = { plan, forPods: true, expected: plan.surge };
  await step('await', async () => await activities.awaitNodesReady(awaited));
  await step('cordon', async () => await activities.cordonNodes({ ...next(), nodes: plan.nodes }));
  const liveOn: LivingOn['liveOn'] = (body) => {
    const environment = new MockActivityEnvironment({ activityId: 'lives on' });
    const running = attempt('lives on', body, environment).catch((error: unknown) => error);
    return {
      ended: async () => {
        environment.cancel();
        return await running;
      },
    };
  };
  return { ...locked, plan, liveOn };
}

/** Waits until the world shows it. */
async function until(world: World, holds: () => boolean): Promise<void> {
  await inActivity(world, 'until', async () => {
    while (!holds()) await world.clock.sleep(100);
  });
}

test('a pod surge that lives on releases no pod that its run has adopted', async () => {
  const { world, plan, activities, step, liveOn, next } = await openScene({
    delays: { podReady: 30_000 },
    podSurge: {},
  });
  const input = { ...next(), waiting: plan.nodes, direction: 'forward' as const };
  const old = liveOn(async () => await activities.surgePods(input));
  await until(world, () => world.pods.filter(({ released }) => released !== undefined).length === 8);

  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  await step('adopt pods', async () => await activities.adoptPods(next()));
  await inActivity(world, 'a minute', async () => await world.clock.sleep(60_000));

  expect(ownershipOf(world), world.log.join('\n')).toEqual([]);
  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  world.clock.stop();
});

test('an exclusion that lives on neither cordons nor excludes a node that its run has restored', async () => {
  const { world, plan, activities, step, liveOn, next } = await openScene();
  // No node may go yet.
  const [web] = world.budgets;
  if (web !== undefined) web.maxUnavailable = 0;
  world.changed();
  const input = {
    ...next(),
    baselines: plan.baselines,
    inFlight: [],
    waiting: plan.nodes,
    direction: 'forward' as const,
  };
  const old = liveOn(async () => await activities.excludeNext(input));
  await inActivity(world, 'a while', async () => await world.clock.sleep(30_000));

  await step('restore untracked', async () => await activities.restoreUntracked(next()));
  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  if (web !== undefined) web.maxUnavailable = 2;
  world.changed();
  await inActivity(world, 'a minute', async () => await world.clock.sleep(60_000));

  expect(ownershipOf(world), world.log.join('\n')).toEqual([]);
  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  world.clock.stop();
});

/** Excludes a node that is fenced as after its third round, and fences it for these steps. */
async function excludeFenced(
  rounds: number | undefined,
  steps: readonly FencingToken[],
  prepare: (world: World) => void = () => undefined,
) {
  const { world, plan, activities, ports, step, next } = await openScene();
  for (const node of plan.nodes)
    await ports.cluster.fenceNode(node, { run, round: 3, step: 2, attempt: Number.MAX_SAFE_INTEGER });
  prepare(world);
  const { baselines, nodes: waiting } = plan;
  const known = rounds === undefined ? {} : { rounds: Object.fromEntries(waiting.map(({ name }) => [name, rounds])) };
  const question = { ...next(), ...known, baselines, inFlight: [], waiting, direction: 'forward' as const };
  const excluded = await step('exclude', async () => await activities.excludeNext(question));
  world.clock.stop();
  if (!('node' in excluded)) throw new Error('no node was excluded');
  const answers: string[] = [];
  for (const one of steps) answers.push(await ports.cluster.fenceNode(excluded.node, one));
  return answers;
}

describe('the fence of a node that was restored', () => {
  const attempt = (round: number, step = 1): FencingToken => ({ run, round, step, attempt: 1 });

  test('before its run was reset is gone once it is excluded again, so that its steps can fence it', async () => {
    expect(await excludeFenced(undefined, [attempt(1)])).toEqual(['done']);
    expect(await excludeFenced(2, [attempt(3)])).toEqual(['done']);
  });

  test('is gone also where the exclusion ended before it was, and is found later', async () => {
    const excludeFirst = ({ nodes: [node] }: World) => {
      if (node !== undefined) exclude(node);
    };
    expect(await excludeFenced(undefined, [attempt(1)], excludeFirst)).toEqual(['done']);
  });

  test('keeps attempts of that round away until the steps of the next have fenced it', async () => {
    expect(await excludeFenced(3, [attempt(3, 1), attempt(4)])).toEqual(['superseded', 'done']);
  });
});

test.each([
  ['creates no pool', 'createPool'],
  ['suspends no scaling', 'suspendScaling'],
] as const)('an attempt that begins when its run is over %s', async (_, what) => {
  const { world, policy, lock, activities, step, attempt, next } = lockPool(upgradeOf());
  const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
  const before = structuredClone(world.pools);
  world.leases.delete(lock.name);
  const environment = new MockActivityEnvironment({ activityId: 'lives on' });
  const acts = {
    createPool: async () => await activities.createPool({ ...next(), plan }),
    suspendScaling: async () => await activities.suspendScaling({ ...next(), pool: plan.oldPool, role: 'old' }),
  };
  const outcome = await attempt('lives on', acts[what], environment);
  world.clock.stop();

  expect(outcome).toMatchObject({ outcome: 'failed', problem: { code: 'DeadlineExceeded' } });
  expect(world.pools).toEqual(before);
});

test.each(['is cancelled', 'has lost its pool'])(
  'an attempt that %s while its cloud has it wait creates no pool',
  async (why) => {
    const waiting = Promise.withResolvers<void>();
    const waited = Promise.withResolvers<void>();
    const { world, policy, lock, activities, step, attempt, next } = lockPool(upgradeOf(), (ports) => ({
      ...ports,
      pools: {
        ...ports.pools,
        capabilitiesOf: (ref) => {
          const { replacement, ...others } = ports.pools.capabilitiesOf(ref);
          if (replacement === undefined) return others;
          const createPool: typeof replacement.createPool = async (request) => {
            waiting.resolve();
            await waited.promise;
            await request.beforeChange?.();
            await replacement.createPool(request);
          };
          return { ...others, replacement: { ...replacement, createPool } };
        },
      },
    }));
    const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
    const before = structuredClone(world.pools);
    const environment = new MockActivityEnvironment({ activityId: 'lives on' });
    const create = async () => await activities.createPool({ ...next(), plan });
    const ending = attempt('lives on', create, environment).catch((error: unknown) => error);
    await waiting.promise;
    if (why === 'is cancelled') environment.cancel();
    else world.leases.delete(lock.name);
    waited.resolve();
    await ending;
    world.clock.stop();

    expect(world.pools).toEqual(before);
  },
);

test('a run that has lost its pool suspends the scaling of a new one all the same, whatever the pools are called', async () => {
  const { world, lock, plan, activities, step, next } = await openScene();
  world.leases.delete(lock.name);
  const { policy, ...input } = next();
  const renamed = { ...policy, pool: { ...policy.pool, name: plan.newPool.name } };
  const suspend = async () =>
    await activities.suspendScaling({ ...input, policy: renamed, pool: plan.newPool, role: 'new' });
  expect(await step('suspend', suspend)).toMatchObject({ suspended: expect.anything() });
  world.clock.stop();
});

test('slow cordoning sets no cordon on nodes that have been uncordoned meanwhile', async () => {
  const { world, plan, ports, activities, step, liveOn, next } = await openScene();
  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let asked = 0;
  const frozen: Ports = {
    ...ports,
    cluster: {
      ...ports.cluster,
      // Asked for the attempt as a whole, then for each node: all but the first hang.
      fenceLock: async (name, fence) => {
        asked += 1;
        if (asked > 2) await held.promise;
        await ports.cluster.fenceLock(name, fence);
      },
      cordon: async (node, by) => {
        const done = await ports.cluster.cordon(node, by);
        begun.resolve();
        return done;
      },
    },
  };
  const input = { ...next(), nodes: plan.nodes };
  const old = liveOn(async () => await createActivities(frozen).cordonNodes(input));
  await begun.promise;

  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  held.resolve();

  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  expect(ownershipOf(world), world.log.join('\n')).toEqual([]);
  world.clock.stop();
});

test('an attempt that begins when its successor has the pool does nothing', async () => {
  const { world, plan, activities, step, liveOn, next } = await openScene();
  const late = { ...next(), nodes: plan.nodes };
  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  const old = liveOn(async () => await activities.cordonNodes(late));
  expect(await old.ended()).toMatchObject({ type: 'Superseded' });
  expect(ownershipOf(world)).toEqual([]);
  world.clock.stop();
});
