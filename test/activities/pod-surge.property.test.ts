/** Pods are released, replaced and adopted, while things happen: no workload ever has fewer, and at the end everything is as it was. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { freeze, restoreLabels, rollOut, scaleTo, setBudget } from '../simulator/disturbances.ts';
import { addFailedPod, deleteDeployment, orphanDeployment } from '../simulator/replica-sets.ts';
import type { SimPod, World } from '../simulator/world.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';
import { lockPool, run } from './lock-pool.ts';

/** What may happen to `web` while its pods are surged. */
const happenings = {
  nothing: () => undefined,
  'scaled up': (world: World) => scaleTo(world, 'web', replicasOf(world, 'web') + 3),
  'scaled down': (world: World) => scaleTo(world, 'web', Math.max(1, replicasOf(world, 'web') - 2)),
  'its ReplicaSet is slow': (world: World) => freeze(world, 'replicaSetsFrozen', 40_000),
  'rolled out': (world: World) => rollOut(world, 'web'),
  'away while its ReplicaSet stays': (world: World) => orphanDeployment(world, 'web', 5_000),
  'one of its pods has failed': (world: World) => void addFailedPod(world, 'web', world.nodes[0]?.name ?? ''),
  'somebody gives a pod its label back': (world: World) => {
    const pod = world.pods.find(({ of, released }) => of === 'web' && released !== undefined);
    if (pod !== undefined) restoreLabels(world, pod);
  },
  deleted: (world: World) => {
    deleteDeployment(world, 'web');
    world.services = world.services.filter(({ key }) => key !== 'default/web');
    world.changed();
  },
} as const;
type Happening = keyof typeof happenings;

const shapes = fc.record({
  nodes: fc.integer({ min: 2, max: 6 }),
  replicas: fc.integer({ min: 1, max: 9 }),
  maxUnavailable: fc.integer({ min: 0, max: 2 }),
  max: fc.constantFrom(1, 0.5, 'maxSurge' as const),
  podReady: fc.constantFrom(100, 4_000, 20_000),
  happening: fc.constantFrom(...(Object.keys(happenings) as Happening[])),
  atMs: fc.integer({ min: 0, max: 30_000 }),
});
type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never;

/** A run takes twenty times as long as that of a property of the guard. */
const runs = Math.round(Number(process.env['NODEFERRY_PROPERTY_RUNS'] ?? 480) / 20);

test('released pods come back as they were, whatever happens meanwhile', async () => {
  await fc.assert(fc.asyncProperty(shapes, surgeAndAdopt), { numRuns: runs });
});

async function surgeAndAdopt(shape: Shape): Promise<void> {
  const { world, policy, activities, step, next } = lockPool(openScene(shape));
  const before = podsOf(world);
  const watched = watch(world, shape.happening);

  const observed = await step('preflight', async () => await activities.preflight({ run, policy })).catch(
    () => undefined,
  );
  // One that is refused: more pods on a node than may be doubled at a time, under a budget that spares none.
  if (observed === undefined) return fc.pre(false);
  const { plan } = observed;
  await step('create', async () => await activities.createPool({ ...next(), plan }));
  const awaited = { plan, forPods: true, expected: plan.surge };
  const { nodes } = await step('await', async () => await activities.awaitNodesReady(awaited));
  await step('cordon', async () => await activities.cordonNodes({ ...next(), nodes: plan.nodes }));
  world.clock.at(world.clock.now() + shape.atMs, () => happenings[shape.happening](world));
  await surgeAll(plan, []);
  world.clock.advance(60_000);

  await step('cordon new', async () => await activities.cordonNodes({ ...next(), nodes }));
  await step('uncordon', async () => await activities.uncordonNodes({ ...next(), nodes: plan.nodes }));
  const back = { ...next(), waiting: nodes, direction: 'back' as const };
  await step('back', async () => await activities.surgePods(back));
  await step('adopt pods', async () => await activities.adoptPods(next()));
  await step('evict', async () => await activities.evictReleased(next()));
  await step('uncordon new', async () => await activities.uncordonNodes({ ...next(), nodes }));
  world.clock.advance(120_000);
  world.clock.stop();

  expect(watched.missing(), world.log.join('\n')).toEqual([]);
  const newNodes = new Set(nodes.map(({ name }) => name));
  for (const { name, kind, replicas, version } of world.workloads) {
    if (kind !== 'Deployment') continue;
    const all = podsOf(world).filter(({ of }) => of === name);
    const owned = all.filter(({ ownerKind }) => ownerKind === 'ReplicaSet');
    expect(owned.map((pod) => pod.version)).toEqual(Array.from({ length: replicas }, () => version));
    // Replacements leave with their node. A pod that a rollout or a scale-down has made superfluous is not adopted; it continues to serve
    // where a load balancer finds no other pod on the node.
    const mayStay = shape.happening === 'rolled out' || shape.happening === 'scaled down';
    const isAlone = ({ node }: SimPod) => mayStay && name === 'web' && !owned.some((pod) => pod.node === node);
    const left = all.filter((pod) => !owned.includes(pod) && !newNodes.has(pod.node ?? ''));
    expect(left.filter((pod) => !isAlone(pod))).toEqual([]);
    const had = before.filter(({ of }) => of === name).map(({ uid }) => uid);
    if (name === 'api' || shape.happening === 'nothing') expect(owned.map(({ uid }) => uid)).toEqual(had);
  }
  if (shape.happening === 'deleted') expect(podsOf(world).filter(({ of }) => of === 'web')).toEqual([]);

  /** Batch after batch, as a run in which none of them leaves. */
  async function surgeAll({ nodes: all }: PoolPlan, done: readonly string[]): Promise<void> {
    const waiting = all.filter(({ name }) => !done.includes(name));
    if (waiting.length === 0) return;
    const { batch } = await step(
      `surge ${done.length}`,
      async () => await activities.surgePods({ ...next(), waiting, direction: 'forward' }),
    );
    await surgeAll(plan, [...done, ...batch.map(({ name }) => name)]);
  }
}

function openScene({ nodes, replicas, maxUnavailable, max, podReady }: Shape): Upgrade {
  const upgrade = upgradeOf({ nodes, delays: { podReady }, podSurge: { max } });
  const { world } = upgrade;
  for (const service of world.services) service.ratePerSecond = 0;
  scaleTo(world, 'web', replicas);
  setBudget(world, 'web', maxUnavailable);
  world.clock.advance(5 * 60_000);
  return upgrade;
}

/** Checks at every moment whether a workload has fewer ready pods than it had, or needs. */
function watch(world: World, happening: Happening): { missing(): readonly string[] } {
  const had = new Map(['web', 'api'].map((name) => [name, readyOf(world, name)]));
  // These two delete pods themselves, a rollout one more than there are at the start.
  const costs = happening === 'deleted' || happening === 'rolled out' ? ['web'] : [];
  const missing: string[] = [];
  world.clock.onPassage((from) => {
    for (const [name, most] of had) {
      const least = Math.min(most, replicasOf(world, name));
      const ready = readyOf(world, name);
      if (ready < least && !costs.includes(name)) missing.push(`${name} has ${ready} of ${least} at ${from}`);
    }
  });
  return { missing: () => missing };
}

const podsOf = (world: World) =>
  world.pods
    .filter(({ of, terminating, phase }) => of !== 'agent' && !terminating && phase !== 'Failed')
    .toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
const readyOf = (world: World, name: string) =>
  world.pods.filter(({ of, ready, terminating }) => of === name && ready && !terminating).length;
const replicasOf = (world: World, name: string) => world.workloads.find((one) => one.name === name)?.replicas ?? 0;
