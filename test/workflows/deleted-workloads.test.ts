/** Workloads that their owners delete during a run: their earlier size blocks nothing. */
import { describe, expect, test } from 'vitest';
import { excludedNodes, serviceNamed } from '../simulator/disturbances.ts';
import { deleteDeployment } from '../simulator/replica-sets.ts';
import { later, type World } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft } from '../support/run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const minutes = (ms: number) => ms / 60_000;

/** Deletes Deployment `web` with its pods; its callers stop. */
function deleteWeb(world: World): void {
  serviceNamed(world, 'web').ratePerSecond = 0;
  deleteDeployment(world, 'web');
}

/** Runs an upgrade with a disturbance just before the first occurrence of a step. */
async function strikeBefore({ world, start }: Upgrade, wanted: string, strike: () => void) {
  let struck = false;
  const startedAt = world.clock.now();
  const { harness, handle } = await start({
    before: (step) => {
      if (step !== wanted || struck) return;
      struck = true;
      strike();
    },
  });
  const report = await harness.finish(handle);
  expect(struck).toBe(true);
  expect(report.outcome).toBe('completed');
  // A deleted workload has no callers; its last pod leaves although a load balancer would send to it.
  expect({ lost: world.traffic.lost, cut: world.traffic.cut }, world.log.join('\n')).toEqual({ lost: 0, cut: 0 });
  expectNothingLeft(world, 4);
  return minutes(world.clock.now() - startedAt);
}

describe('a Deployment that is deleted', () => {
  test.each<[string, string, UpgradeScene]>(
    someOf(
      [
        ['before any node is excluded', 'awaitNodesReady', {}],
        ['while connections of the first nodes drain', 'awaitConnectionsDrained', {}],
        ['while the run waits for their replacements', 'awaitReplacements', {}],
        ['after its pods were surged', 'excludeNext', { podSurge: {} }],
      ],
      1,
    ),
  )('%s blocks no node for longer than it takes to observe that it is gone', async (_, step, scene) => {
    const upgrade = upgradeOf(scene);
    expect(await strikeBefore(upgrade, step, () => deleteWeb(upgrade.world))).toBeLessThan(35);
  });

  test.each([
    ['keeps nodes from being excluded meanwhile', 60_000, 0],
    ['would let nodes be excluded if observations had to agree for a moment only', 5_000, 2],
  ])('and created again half a minute later with its pods %s', async (_, stabilizationAfterOutageMs, gone) => {
    const upgrade = upgradeOf({ policy: { waits: { stabilizationAfterOutageMs } } });
    const { world } = upgrade;
    const [web] = world.workloads.filter(({ name }) => name === 'web');
    const seen: number[] = [];
    await strikeBefore(upgrade, 'excludeNext', () => {
      deleteWeb(world);
      later(world, 30_000, () => {
        seen.push(excludedNodes(world).length);
        if (web !== undefined) world.workloads.push(web);
        world.changed();
      });
    });
    expect(seen).toEqual([gone]);
  });
});
