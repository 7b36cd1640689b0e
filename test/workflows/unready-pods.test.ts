/** A pod that is not ready for a moment, just when it is about to leave, loses no request, as it loses none without an upgrade. */
import { expect, test } from 'vitest';
import { excludeLabel } from '../simulator/membership.ts';
import { createScenario } from '../simulator/scenario.ts';
import { later, type World } from '../simulator/world.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** The readiness probes of all pods of a node fail for so long, ms; the pods still accept connections. */
function flapOn(world: World, node: string, durationMs: number): void {
  const pods = world.pods.filter((pod) => pod.node === node);
  for (const pod of pods) pod.failing = true;
  later(world, durationMs, () => {
    for (const pod of pods) pod.failing = false;
  });
  world.changed();
}

const nodeIn = (args: readonly unknown[]) => (args[0] as { node?: { name: string } } | undefined)?.node?.name;

test('alone, where load balancers send nothing any more', () => {
  const world = createScenario();
  const [node] = world.nodes;
  if (node !== undefined) node.labels[excludeLabel] = 'true';
  world.changed();
  world.clock.advance(5 * 60_000);
  flapOn(world, world.nodes[0]?.name ?? '', 1_000);
  world.clock.advance(60_000);
  expectNothingLost(world);
});

test.each(
  someOf(
    [
      ['evictPods', 1_000],
      ['removeEndpoints', 1_000],
      // Longer than kube-proxies need to follow, and over before the instance terminates.
      ['removeEndpoints', 30_000],
    ],
    1,
  ),
)('as %s begins, on each node, for %i ms', async (step, durationMs) => {
  const { world, start } = upgradeOf();
  const struck = new Set<string>();
  const { harness, handle } = await start({
    before: (begun, args) => {
      const node = nodeIn(args);
      if (begun !== step || node === undefined || struck.has(node)) return;
      struck.add(node);
      flapOn(world, node, durationMs);
    },
  });
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(struck.size).toBe(4);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});
