/** Workloads that their owners delete while a run is under way: what they wanted before holds nobody up. */
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import { excludedNodes, serviceNamed } from '../simulator/disturbances.ts';
import { deleteDeployment } from '../simulator/replica-sets.ts';
import { createScenario, podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import { later, type World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft } from '../support/run-checks.ts';

const minutes = (ms: number) => ms / 60_000;

/** Deletes Deployment `web` with its pods, and nobody calls it any more. */
function deleteWeb(world: World): void {
  serviceNamed(world, 'web').ratePerSecond = 0;
  deleteDeployment(world, 'web');
}

/** Runs an upgrade in which something strikes just before a step is taken for the first time. */
async function strikeBefore(world: World, policy: Policy, wanted: string, strike: () => void) {
  let struck = false;
  const startedAt = world.clock.now();
  const harness = await openHarness(world, {
    before: (step) => {
      if (step !== wanted || struck) return;
      struck = true;
      strike();
    },
  });
  const report = await harness.finish(await harness.start(policy));
  expect(struck).toBe(true);
  expect(report.outcome).toBe('completed');
  // Nobody calls what was deleted; its last pod leaves all the same, though a load balancer would send there.
  expect({ lost: world.traffic.lost, cut: world.traffic.cut }, world.log.join('\n')).toEqual({ lost: 0, cut: 0 });
  expectNothingLeft(world, 4);
  return minutes(world.clock.now() - startedAt);
}

describe('a Deployment that is deleted', () => {
  test.each<[string, string, Policy]>([
    ['before any node has gone', 'awaitNodesReady', scenarioPolicy()],
    ['while the first nodes drain', 'awaitConnectionsDrained', scenarioPolicy()],
    ['while their replacements are waited for', 'awaitReplacements', scenarioPolicy()],
    ['once its pods were handed over', 'excludeNext', podSurgePolicy()],
  ])('%s holds no node for longer than it takes to see that it is gone', async (_, step, policy) => {
    const world = createScenario();
    expect(await strikeBefore(world, policy, step, () => deleteWeb(world))).toBeLessThan(35);
  });

  test.each([
    ['lets no node go meanwhile', 60_000, 0],
    ['would let nodes go if looks had to agree for a moment only', 5_000, 2],
  ])('and made again half a minute later, pods and all, %s', async (_, stabilizationAfterOutageMs, gone) => {
    const world = createScenario();
    const [web] = world.workloads.filter(({ name }) => name === 'web');
    const policy = scenarioPolicy();
    const seen: number[] = [];
    await strikeBefore(
      world,
      { ...policy, waits: { ...policy.waits, stabilizationAfterOutageMs } },
      'excludeNext',
      () => {
        deleteWeb(world);
        later(world, 30_000, () => {
          seen.push(excludedNodes(world).length);
          if (web !== undefined) world.workloads.push(web);
          world.changed();
        });
      },
    );
    expect(seen).toEqual([gone]);
  });
});
