import { describe, expect, test } from 'vitest';
import { createSimCluster } from './cluster-port.ts';
import { scaleTo } from './disturbances.ts';
import { deletePod } from './pods.ts';
import { createScenario } from './scenario.ts';
import type { SimPod, World } from './world.ts';

const webPods = (world: World) => world.pods.filter(({ of, terminating }) => of === 'web' && !terminating);

/** Four pods of `web`, which should have five and may have four, for this long, ms. */
function openRefused(durationMs: number): { readonly world: World; readonly first: SimPod } {
  const world = createScenario();
  const [first] = webPods(world);
  for (const workload of world.workloads) if (workload.name === 'web') workload.quota = 4;
  scaleTo(world, 'web', 5);
  world.clock.advance(durationMs);
  if (first === undefined) throw new Error('web has no pod');
  return { world, first };
}

/** It loses its owner first, like a pod that is removed from its endpoints. */
function end(world: World, pod: SimPod, { owned }: { readonly owned: boolean }): void {
  if (!owned) pod.labels = {};
  world.changed();
  deletePod(world, pod);
  world.changed();
}

describe('a ReplicaSet that a quota has refused a pod', () => {
  test.each([true, false])('for hours does not try when there is room again (pod owned to its end: %s)', (owned) => {
    const { world, first } = openRefused(2 * 3_600_000);
    end(world, first, { owned });
    world.clock.advance(3 * 60_000);
    expect(webPods(world)).toHaveLength(3);
    world.clock.advance(14 * 60_000);
    expect(webPods(world)).toHaveLength(4);
  });

  test('just now tries again soon', () => {
    const { world, first } = openRefused(1_000);
    end(world, first, { owned: false });
    world.clock.advance(20_000);
    expect(webPods(world)).toHaveLength(4);
  });

  test('tries at once when one of its pods changes, and says what it was answered', async () => {
    const { world, first } = openRefused(2 * 3_600_000);
    const cluster = createSimCluster(world);
    const refusal = async () => (await cluster.observe()).workloads.find(({ name }) => name === 'web')?.refused;
    expect(await refusal()).toMatch(/exceeded quota: web, requested: pods=1, used: pods=4/);
    end(world, first, { owned: false });
    world.clock.advance(60_000);
    const [own] = webPods(world);
    if (own === undefined) throw new Error('web has no pod');
    await cluster.wakeOwner(own, 'run');
    world.changed();
    world.clock.advance(1_000);
    expect(webPods(world)).toHaveLength(4);
    scaleTo(world, 'web', 4);
    expect(await refusal()).toBeUndefined();
  });
});
