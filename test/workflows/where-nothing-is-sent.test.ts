/** Nodes that load balancers send nothing to, for reasons that the run can't fix: they block nothing, and are reported. */
import { describe, expect, test } from 'vitest';
import { serviceNamed, setBudget, uncover } from '../simulator/disturbances.ts';
import { deletePod } from '../simulator/pods.ts';
import { addServingPool } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const scenes: readonly (readonly [string, UpgradeScene])[] = [
  ['evicts', {}],
  ['surges pods', { podSurge: {} }],
];

/** There is a pool `other`, on whose nodes pods of `web` are. */
function withOther(scene: UpgradeScene, size: number): Upgrade {
  const upgrade = upgradeOf(scene);
  const { world } = upgrade;
  addServingPool(world, 'other', size);
  const pods = world.pods.filter(({ of }) => of === 'web');
  for (const [, [, ...crowd]] of Map.groupBy(pods, ({ node }) => node)) for (const pod of crowd) deletePod(world, pod);
  world.clock.advance(5 * 60_000);
  return upgrade;
}

/** Losses count from now on. */
function settle(world: World): void {
  world.changed();
  world.clock.advance(5 * 60_000);
  world.traffic = { sent: 0, lost: 0, cut: 0 };
}

async function cross({ world, start }: Upgrade, instances: number) {
  const startedAt = world.clock.now();
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, instances);
  return { report, minutes: (world.clock.now() - startedAt) / 60_000 };
}

describe.each(scenes)('a run that %s', (_, scene) => {
  test('does not wait for a node of another pool whose target never passes', async () => {
    const upgrade = withOther(scene, 1);
    const { world } = upgrade;
    const [other] = world.nodes.filter(({ pool }) => pool === 'other');
    serviceNamed(world, 'web').broken = [other?.name ?? ''];
    settle(world);
    const { report, minutes } = await cross(upgrade, 5);
    expect(minutes).toBeLessThan(14);
    expect(
      report.unprotected.filter((what) => what.includes(`default/web on ${other?.name}`)),
      report.unprotected.join('; '),
    ).toHaveLength(1);
  });

  test('does not wait for the nodes of a zone that the load balancer does not cover', async () => {
    const upgrade = upgradeOf(scene);
    const { world } = upgrade;
    setBudget(world, 'web', 1);
    uncover(serviceNamed(world, 'web'), 'eu-west-1b', world);
    const { minutes } = await cross(upgrade, 4);
    expect(minutes).toBeLessThan(20);
  });

  test('does not wait for a load balancer that registers the nodes of another pool only', async () => {
    const upgrade = withOther(scene, 2);
    const { world } = upgrade;
    serviceNamed(world, 'web').onlyPool = 'other';
    settle(world);
    const { minutes } = await cross(upgrade, 6);
    expect(minutes).toBeLessThan(20);
  });
});
