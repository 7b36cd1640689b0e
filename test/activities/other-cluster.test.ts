/** Steps that a worker of another cluster gets, because both clusters have one task queue. */
import { expect, test } from 'vitest';
import type { PoolStepInput } from '../../activities/fence.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { Ports } from '../../ports/ports.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario } from '../simulator/scenario.ts';
import { upgradeOf } from '../support/upgrade-of.ts';
import { type Activities, createActivities, type LockedPool, lockPool, run } from './lock-pool.ts';

interface Scene extends LockedPool {
  readonly plan: PoolPlan;
  /** Steps of a worker that asks the same cloud about the pools, but observes another cluster. */
  readonly elsewhere: Activities;
}

/** A run whose new nodes are there. */
async function openScene(): Promise<Scene> {
  const locked = lockPool(upgradeOf());
  const { policy, ports, activities, step, next } = locked;
  const { plan } = await step('preflight', async () => await activities.preflight({ run, policy }));
  await step('create', async () => await activities.createPool({ ...next(), plan }));
  await step('await', async () => await activities.awaitNodesReady({ plan, forPods: true, expected: plan.surge }));
  const other = createScenario();
  other.clusterUid = 'cluster-2';
  other.nodes = [];
  const { cluster } = createSimPorts(other);
  other.clock.stop();
  return { ...locked, plan, elsewhere: createActivities({ ...ports, cluster }) };
}

function stepsBack({ plan, lock }: Scene, input: PoolStepInput, activities: Activities) {
  const { newPool, oldPool, nodes, baselines, policy } = plan;
  const [node] = nodes;
  if (node === undefined) throw new Error('no node');
  const ofNode = { run, node, pool: oldPool, policy, baselines, attempt: { round: 1, step: 1 } };
  return {
    planScaleIn: async () => await activities.planScaleIn({ ...input, pool: newPool, keep: 0 }),
    deletePool: async () => await activities.deletePool({ ...input, pool: newPool, onlyIfCreatedBy: run }),
    endUnjoined: async () => await activities.endUnjoined({ ...input, pool: oldPool, size: 4, known: [] }),
    restoreSize: async () => await activities.restoreSize({ ...input, pool: oldPool, size: 5 }),
    restoreNode: async () => await activities.restoreNode({ ...ofNode, direction: 'forward' }),
    restoreUntracked: async () => await activities.restoreUntracked(input),
    uncordonNodes: async () => await activities.uncordonNodes({ ...input, nodes }),
    reacquireLock: async () => await activities.reacquireLock(input),
    cleanUp: async () => await activities.cleanUp({ ...input, lock }),
  };
}

test.each([
  'planScaleIn',
  'deletePool',
  'endUnjoined',
  'restoreSize',
  'restoreNode',
  'restoreUntracked',
  'uncordonNodes',
  'reacquireLock',
  'cleanUp',
] as const)('%s fails instead of taking everything for gone', async (name) => {
  const scene = await openScene();
  const { world, plan, elsewhere, attempt, next } = scene;
  const before = structuredClone([world.instances, world.pools]);
  const wrong = stepsBack(scene, { ...next(), policy: plan.policy }, elsewhere)[name];
  const error: unknown = await attempt(name, wrong).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ type: 'NotOwned', message: expect.stringContaining('cluster-2') });
  expect([world.instances, world.pools]).toEqual(before);
  world.clock.stop();
});

test.each(['planScaleIn', 'deletePool'] as const)(
  '%s ends no instance that was a node either, in a run that does not know its cluster',
  async (name) => {
    const { world, plan, elsewhere, attempt, next } = await openScene();
    const before = structuredClone([world.instances, world.pools]);
    const joined = world.nodes.map(({ instanceId }) => instanceId);
    const input = { ...next(), pool: plan.newPool, joined };
    const wrong: Record<typeof name, () => Promise<unknown>> = {
      planScaleIn: async () => await elsewhere.planScaleIn({ ...input, keep: 0 }),
      deletePool: async () => await elsewhere.deletePool({ ...input, onlyIfCreatedBy: run }),
    };
    const error: unknown = await attempt(name, wrong[name]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ type: 'NotOwned', message: expect.stringContaining('is running') });
    expect([world.instances, world.pools]).toEqual(before);
    world.clock.stop();
  },
);

test('instances that the old pool got again are not ended where those that it kept are no nodes', async () => {
  const { world, plan, elsewhere, attempt, next } = await openScene();
  const [kept] = plan.nodes;
  if (kept === undefined) throw new Error('no node');
  const input = { ...next(), pool: plan.oldPool, size: 4, known: [kept.instanceId] };
  const wrong = async () => await elsewhere.endUnjoined(input);
  const error: unknown = await attempt('endUnjoined', wrong).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ type: 'NotOwned', message: expect.stringContaining(kept.instanceId) });
  expect(world.instances.filter(({ state }) => state === 'running')).toHaveLength(8);
  world.clock.stop();
});

test('an instance that joins while the excess is chosen is a node', async () => {
  const { world, plan, ports, step, next } = await openScene();
  const late = world.nodes.find(({ pool }) => pool === plan.newPool.name);
  let hasJoined = false;
  const joining: Ports = {
    ...ports,
    cluster: {
      ...ports.cluster,
      observe: async () => {
        const facts = await ports.cluster.observe();
        return hasJoined ? facts : { ...facts, nodes: facts.nodes.filter(({ uid }) => uid !== late?.uid) };
      },
    },
    pools: {
      ...ports.pools,
      observeInstances: async (pool) => {
        const instances = await ports.pools.observeInstances(pool);
        hasJoined = true;
        return instances;
      },
    },
  };
  const { excess } = await step(
    'planScaleIn',
    async () => await createActivities(joining).planScaleIn({ ...next(), pool: plan.newPool, keep: 0 }),
  );
  expect(excess.map(({ name }) => name)).toContain(late?.name);
  expect(world.instances.filter(({ state }) => state === 'running')).toHaveLength(8);
  world.clock.stop();
});

test.each([
  ['preflight', 'start again'],
  ['acquireLock', 'start again'],
  ['reacquireLock', 'resume'],
] as const)('%s says what can be done once the worker serves the right cluster: %s', async (name, next) => {
  const { world, plan, elsewhere, attempt } = await openScene();
  const wrong = async () => await elsewhere[name]({ run, policy: plan.policy });
  const error: unknown = await attempt(name, wrong).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ type: 'NotOwned' });
  expect(JSON.stringify(error)).toContain(`of the workers; then ${next}.`);
  world.clock.stop();
});
