/** Nodes that load balancers send nothing to, for reasons that the run can't fix: they block nothing, and are reported. */
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import { serviceNamed, setBudget, uncover } from '../simulator/disturbances.ts';
import { deletePod } from '../simulator/pods.ts';
import { addServingPool, createScenario, podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

const policies: readonly (readonly [string, Policy])[] = [
  ['evicts', scenarioPolicy()],
  ['surges pods', podSurgePolicy()],
];

/** A world with a pool `other`, on whose nodes pods of `web` are. */
function openWithOther(size: number): World {
  const world = createScenario();
  addServingPool(world, 'other', size);
  const pods = world.pods.filter(({ of }) => of === 'web');
  for (const [, [, ...crowd]] of Map.groupBy(pods, ({ node }) => node)) for (const pod of crowd) deletePod(world, pod);
  world.clock.advance(5 * 60_000);
  return world;
}

/** Losses count from now on. */
function settle(world: World): void {
  world.changed();
  world.clock.advance(5 * 60_000);
  world.traffic = { sent: 0, lost: 0, cut: 0 };
}

async function cross(world: World, policy: Policy, instances: number) {
  const startedAt = world.clock.now();
  const harness = await openHarness(world, {});
  const report = await harness.finish(await harness.start(policy));
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, instances);
  return { report, minutes: (world.clock.now() - startedAt) / 60_000 };
}

describe.each(policies)('a run that %s', (_, policy) => {
  test('does not wait for a node of another pool whose target never passes', async () => {
    const world = openWithOther(1);
    const [other] = world.nodes.filter(({ pool }) => pool === 'other');
    serviceNamed(world, 'web').broken = [other?.name ?? ''];
    settle(world);
    const { report, minutes } = await cross(world, policy, 5);
    expect(minutes).toBeLessThan(14);
    expect(
      report.unprotected.filter((what) => what.includes(`default/web on ${other?.name}`)),
      report.unprotected.join('; '),
    ).toHaveLength(1);
  });

  test('does not wait for the nodes of a zone that the load balancer does not cover', async () => {
    const world = createScenario();
    setBudget(world, 'web', 1);
    uncover(serviceNamed(world, 'web'), 'eu-west-1b', world);
    const { minutes } = await cross(world, policy, 4);
    expect(minutes).toBeLessThan(20);
  });

  test('does not wait for a load balancer that registers the nodes of another pool only', async () => {
    const world = openWithOther(2);
    serviceNamed(world, 'web').onlyPool = 'other';
    settle(world);
    const { minutes } = await cross(world, policy, 6);
    expect(minutes).toBeLessThan(20);
  });
});
