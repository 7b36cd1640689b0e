/** Pods with a spread constraint over hosts, which counts emptied nodes, so that they fit on no other node. */
import { describe, expect, test } from 'vitest';
import type { SpreadFacts } from '../../core/model/pod.ts';
import { scaleTo } from '../simulator/disturbances.ts';
import { createScenario, podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';

const byHost: SpreadFacts = {
  topologyKey: 'kubernetes.io/hostname',
  maxSkew: 1,
  isRequired: true,
  countsReleased: true,
  countsCordoned: true,
};

/** Two pods of `web` on each of four nodes. */
function twoOnEach(spread: SpreadFacts): World {
  const world = createScenario();
  for (const one of world.workloads) if (one.name === 'web') one.spreads = [spread];
  scaleTo(world, 'web', 8);
  world.clock.advance(5 * 60_000);
  for (const pod of world.pods) if (pod.of === 'web') pod.spreads = [spread];
  return world;
}

const orders = { 'pod surge': podSurgePolicy(), evicted: scenarioPolicy() };

describe('two pods on each node, spread over hosts', () => {
  test.each([
    ['evicted', byHost],
    ['evicted', { ...byHost, countsReleased: false }],
    ['pod surge', { ...byHost, countsReleased: false }],
  ] as const)(
    'can’t be %s while emptied nodes count: the run is refused, with a way to allow it (%#)',
    async (how, spread) => {
      const harness = await openHarness(twoOnEach(spread), {});
      const handle = await harness.start(orders[how]);
      const failure = await failureOfRun(handle);
      expect(failure.type).toBe('PreflightRefused');
      expect(failure.report.stalled?.message).toMatch(/WKL-029 .*count emptied nodes too: 4 of 8 pods fit/);
    },
  );

  test.each([
    ['pod surge', byHost],
    ['pod surge', { ...byHost, countsReleased: false, countsCordoned: false }],
    ['evicted', { ...byHost, countsCordoned: false }],
    ['evicted', { ...byHost, maxSkew: 2 }],
  ] as const)('are %s where they fit (%#)', async (how, spread) => {
    const world = twoOnEach(spread);
    const harness = await openHarness(world, {});
    const report = await harness.finish(await harness.start(orders[how]));
    expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
