/** Load balancers that do not have every node as a target, and controllers that are not done with all of them at once. */
import { describe, expect, test } from 'vitest';
import { groupNodes, serviceNamed, workloadNamed } from '../simulator/disturbances.ts';
import { excludeLabel } from '../simulator/membership.ts';
import type { World } from '../simulator/world.ts';
import { expectServedByOldPool, upgradeAndAbort } from '../support/abort-run.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

/** The load balancer of `web` has the nodes that host one of its pods, that of `api` has two nodes. */
function groupedNodes(scene: UpgradeScene = {}, webPods = 4) {
  const upgrade = upgradeOf(scene);
  const { world } = upgrade;
  groupNodes(serviceNamed(world, 'web'), 0, world);
  groupNodes(serviceNamed(world, 'api'), 2, world);
  workloadNamed(world, 'web').replicas = webPods;
  settle(world, 5 * 60_000);
  return upgrade;
}

/** What happens counts from now on. */
function settle(world: World, ms: number): void {
  world.changed();
  world.clock.advance(ms);
  world.traffic = { sent: 0, lost: 0, cut: 0 };
  world.fewestServing.clear();
}

const membersOf = (world: World, name: string) => serviceNamed(world, name).targets.length;

describe('load balancers that have some nodes as targets', () => {
  test.each([
    ['evicts', {}],
    ['surges pods', { podSurge: {} }],
  ] as const)('a run that %s does not wait for new nodes to be registered there', async (_, scene) => {
    const { world, start } = groupedNodes(scene);
    expect([membersOf(world, 'web'), membersOf(world, 'api')]).toEqual([4, 2]);
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed' });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect([membersOf(world, 'web'), membersOf(world, 'api')]).toEqual([4, 2]);
  });

  test('a node that hosts no endpoint is not missed', async () => {
    const { world, start } = groupedNodes({}, 2);
    expect(membersOf(world, 'web')).toBe(2);
    const { harness, handle } = await start();
    expect(await harness.finish(handle)).toMatchObject({ outcome: 'completed' });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(membersOf(world, 'web')).toBe(2);
  });
});

describe('nodes that are included again while they drain', () => {
  const drainsForMs = 10 * 60_000;

  test.each(someOf(['awaitDeregistered', 'awaitConnectionsDrained'], 1))(
    'are waited for until they are registered, however long they drain (aborted in %s)',
    async (step) => {
      const upgrade = groupedNodes();
      const { world } = upgrade;
      for (const name of ['web', 'api']) serviceNamed(world, name).connectionDrainMs = drainsForMs;
      const startedAt = world.clock.now();
      const report = await upgradeAndAbort(upgrade, { step });
      const told = report.nodes.flatMap(({ evidence }) => evidence.filter(({ kind }) => kind === 'restored'));
      expect(told.map(({ detail }) => detail).join()).toContain('registered in k8s-default-web');
      expect(world.clock.now() - startedAt).toBeGreaterThan(drainsForMs);
      expect(serviceNamed(world, 'web').targets.map(({ state }) => state)).not.toContain('draining');
      expectServedByOldPool(world);
    },
  );

  test('do not serve until then: the minimum serving is kept without them', async () => {
    const { world, start } = groupedNodes({ policy: { guard: { minServing: { 'default/web': { targets: 3 } } } } });
    serviceNamed(world, 'web').connectionDrainMs = drainsForMs;
    const [leaving] = world.nodes;
    if (leaving === undefined) throw new Error('no node');
    leaving.labels[excludeLabel] = 'true';
    world.changed();
    world.clock.advance(5_000);
    delete leaving.labels[excludeLabel];
    world.changed();
    const { harness, handle } = await start();
    expect(await harness.finish(handle)).toMatchObject({ outcome: 'completed' });
    expect(world.fewestServing.get('default/web')).toBe(3);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('a load balancer that drains no connections', () => {
  test('cuts those of each node that leaves, and the report says so', async () => {
    const { world, start } = upgradeOf();
    serviceNamed(world, 'web').connectionDrainMs = 0;
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.unprotected).toEqual([expect.stringContaining('k8s-default-web drains no connections: it cuts')]);
    expect({ ...world.traffic, sent: 0 }).toEqual({ sent: 0, lost: 0, cut: 4 });
    expect(world.violations).toEqual([]);
    expectNothingLeft(world, 4);
  });
});

describe('a controller that is done with one Service after another', () => {
  const services = ['web', 'web-b', 'web-c'];
  const syncMs = 45_000;

  /** Three Services with the same pods. What happens to a pod whose node a load balancer still has is noted. */
  function threeServices(scene: UpgradeScene) {
    const upgrade = upgradeOf({ ...scene, delays: { serviceSync: syncMs } });
    const { world } = upgrade;
    const web = serviceNamed(world, 'web');
    for (const name of services.slice(1))
      world.services.push({ ...web, key: `default/${name}`, targets: [], view: [...web.view] });
    settle(world, 10 * 60_000);
    const early: string[] = [];
    world.clock.onPassage(() => early.push(...tooEarly(world)));
    return { ...upgrade, early };
  }

  function tooEarly(world: World): string[] {
    const idOf = new Map(world.nodes.map(({ name, instanceId }) => [name, instanceId]));
    const touched = world.pods.filter((pod) => pod.of === 'web' && (pod.terminating || pod.endpointsRemoved));
    return touched.flatMap((pod) =>
      services.flatMap((name) => {
        const target = serviceNamed(world, name).targets.find((one) => one.instanceId === idOf.get(pod.node ?? ''));
        return target === undefined || target.state === 'draining' ? [] : [`${pod.name}: ${name} has ${pod.node}`];
      }),
    );
  }

  test('is waited for: no pod is touched before the last load balancer has lost its node', async () => {
    const { world, start, early } = threeServices({ policy: { guard: { maxInFlight: 1 } } });
    const { harness, handle } = await start();
    expect(await harness.finish(handle)).toMatchObject({ outcome: 'completed' });
    expect(early).toEqual([]);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('otherwise pods are evicted that load balancers still send to', async () => {
    const policy = {
      guard: { maxInFlight: 1 },
      traffic: { lossBudget: 1_000_000 },
      disabledRules: ['wait-for-deregistration' as const],
    };
    const { world, start, early } = threeServices({ policy });
    const { handle } = await start();
    await handle.result();
    expect(early).not.toEqual([]);
    expect(world.traffic.lost).toBeGreaterThan(0);
  });
});
