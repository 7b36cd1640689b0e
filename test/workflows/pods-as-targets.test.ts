/** Load balancers whose targets are the pods themselves, without a node in between. */
import { describe, expect, test } from 'vitest';
import type { PodSurgeTerms } from '../../core/policy/policy.ts';
import { serviceNamed } from '../simulator/disturbances.ts';
import { targetPods } from '../simulator/pod-targets.ts';
import { addPod } from '../simulator/pods.ts';
import type { World } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';
import { type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

/** The pods of `web` and `api` are the targets of their load balancers, the former with policy Local. */
function podsAsTargets(scene: UpgradeScene = {}) {
  const upgrade = upgradeOf(scene);
  for (const name of ['web', 'api']) targetPods(serviceNamed(upgrade.world, name));
  settle(upgrade.world);
  return upgrade;
}

/** What happens counts from now on. */
function settle(world: World): void {
  for (const service of world.services) service.ratePerSecond = 0;
  world.changed();
  world.clock.advance(5 * 60_000);
  for (const service of world.services) service.ratePerSecond = 100;
  world.traffic = { sent: 0, lost: 0, cut: 0 };
  world.fewestServing.clear();
  world.log.length = 0;
}

const healthyTargets = (world: World, name: string) =>
  serviceNamed(world, name).podTargets?.filter(({ state }) => state === 'healthy').length;

describe('a pool whose pods are targets', () => {
  test.each([
    ['evicted', undefined, 3],
    ['surged', {}, 4],
  ] as const)(
    'is replaced without a loss when pods are %s',
    async (_, podSurge: Partial<PodSurgeTerms> | undefined, least) => {
      const { world, start } = podsAsTargets(podSurge === undefined ? {} : { podSurge });
      expect([healthyTargets(world, 'web'), healthyTargets(world, 'api')]).toEqual([4, 4]);
      const { harness, handle } = await start();
      expect(await harness.finish(handle)).toMatchObject({ outcome: 'completed' });
      expectNothingLost(world);
      expectNothingLeft(world, 4);
      expect([healthyTargets(world, 'web'), healthyTargets(world, 'api')]).toEqual([4, 4]);
      expect(world.fewestServing.get('default/api')).toBeGreaterThanOrEqual(least);
    },
  );

  test('loses requests without the wait for their targets', async () => {
    const { world, start } = podsAsTargets({
      policy: { disabledRules: ['wait-for-deregistration'], traffic: { lossBudget: 1_000_000 } },
    });
    const { handle } = await start();
    await handle.result();
    expect(world.traffic.lost, world.log.join('\n')).toBeGreaterThan(0);
  });

  test('waits for a pod that stays in its target group, and says in which one', async () => {
    const { world, start } = podsAsTargets();
    const { harness, handle } = await start({
      before: async (step) => {
        if (step === 'evictPods') world.faults.controllersFrozen = true;
      },
    });
    const { stalled } = await harness.until(handle, 'it is stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toMatch(/is still a target of k8s-default-(web|api) \(healthy\)/);
    expectNothingLost(world);
    expect(world.log.filter((line) => line.includes(' terminates'))).toEqual([]);
  });
});

describe('a load balancer of pods that drains no connections', () => {
  const undrained = (scene: UpgradeScene = {}) => {
    const upgrade = podsAsTargets(scene);
    serviceNamed(upgrade.world, 'web').connectionDrainMs = 0;
    return upgrade;
  };
  const cutsOf = ({ log }: World) => log.filter((line) => line.includes('default/web: connections to pod')).length;

  test.each(
    someOf(
      [
        ['evicted', undefined],
        ['surged', {}],
      ],
      1,
    ),
  )(
    'cuts those of each pod that is %s, and the report says so; new ones are waited for',
    async (_, podSurge: Partial<PodSurgeTerms> | undefined) => {
      const { world, start } = undrained(podSurge === undefined ? {} : { podSurge });
      const { harness, handle } = await start();
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expect(report.unprotected).toEqual([
        expect.stringContaining('k8s-default-web drains no connections: it cuts established ones as soon as a pod'),
      ]);
      expect({ ...world.traffic, sent: 0 }, world.log.join('\n')).toEqual({ sent: 0, lost: 0, cut: 4 });
      expect(cutsOf(world)).toBe(4);
      expect(world.violations).toEqual([]);
      expectNothingLeft(world, 4);
    },
  );

  test('loses new ones without the wait for their propagation', async () => {
    const { world, start } = undrained({
      policy: { disabledRules: ['wait-for-propagation'], traffic: { lossBudget: 1_000_000 } },
    });
    const { handle } = await start();
    await handle.result();
    expect(world.traffic.lost, world.log.join('\n')).toBeGreaterThan(0);
  });
});

describe('a load balancer that finds no pod healthy', () => {
  const unhealthy = (world: World, name: string) => {
    const service = serviceNamed(world, name);
    service.failsOpen = true;
    for (const target of service.podTargets ?? []) Object.assign(target, { state: 'unhealthy', forwards: true });
  };

  test('and never did, does not block the run, which loses nothing that it sends to all of them', async () => {
    const { world, start } = podsAsTargets();
    unhealthy(world, 'api');
    const { harness, handle } = await start();
    expect(await harness.finish(handle)).toMatchObject({ outcome: 'completed' });
    expectNothingLost(world);
    const { podTargets = [] } = serviceNamed(world, 'api');
    expect(podTargets.map(({ state }) => state)).toEqual(['unhealthy', 'unhealthy', 'unhealthy', 'unhealthy']);
  });

  test('but did before, blocks evictions, and says so', async () => {
    const { world, start } = podsAsTargets();
    const { harness, handle } = await start({
      before: async (step) => {
        if (step === 'evictPods') unhealthy(world, 'api');
      },
    });
    const { stalled } = await harness.until(handle, 'it is stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toMatch(/is not a healthy target of k8s-default-api/);
  });
});

describe('pods that cannot be removed from endpoints', () => {
  const database = (preStopSeconds: number, terminationGracePeriodSeconds: number) => {
    const upgrade = podsAsTargets();
    const { world } = upgrade;
    const [node] = world.nodes;
    const changes = { ownerKind: 'StatefulSet', labels: { app: 'web' }, preStopSeconds } as const;
    addPod(world, 'db-0', node?.name ?? '', { ...changes, terminationGracePeriodSeconds });
    settle(world);
    return upgrade;
  };

  test('are refused by the plan, with what they have and what they need', async () => {
    const { world, start } = database(10, 30);
    const { handle } = await start();
    const { type, report } = await failureOfRun(handle);
    expect(type).toBe('PreflightRefused');
    expect(report.stalled?.message ?? '').toMatch(
      /WKL-034 pod default\/db-0: .* k8s-default-web .* 10 s and a grace period of 30 s, and needs 1m 15s and 1m 20s/,
    );
    expect(world.nodes.filter(({ cordoned }) => cordoned)).toEqual([]);
  });

  test('are evicted when they serve on for long enough', async () => {
    const { world, start } = database(75, 90);
    const { harness, handle } = await start();
    expect(await harness.finish(handle)).toMatchObject({ outcome: 'completed' });
    expectNothingLost(world);
  });
});
