/** Pods with a spread constraint over hosts, which counts emptied nodes, so that they fit on no other node. */
import { describe, expect, test } from 'vitest';
import type { SpreadFacts } from '../../core/model/pod.ts';
import { scaleTo } from '../simulator/disturbances.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

const byHost: SpreadFacts = {
  topologyKey: 'kubernetes.io/hostname',
  maxSkew: 1,
  isRequired: true,
  countsReleased: true,
  countsCordoned: true,
};

const scenes = { 'pod surge': { podSurge: {} }, evicted: {} };

/** Two pods of `web` on each of four nodes. */
function twoOnEach(how: keyof typeof scenes, spread: SpreadFacts): Upgrade {
  const upgrade = upgradeOf(scenes[how]);
  const { world } = upgrade;
  for (const one of world.workloads) if (one.name === 'web') one.spreads = [spread];
  scaleTo(world, 'web', 8);
  world.clock.advance(5 * 60_000);
  for (const pod of world.pods) if (pod.of === 'web') pod.spreads = [spread];
  return upgrade;
}

describe('two pods on each node, spread over hosts', () => {
  test.each([
    ['evicted', byHost],
    ['evicted', { ...byHost, countsReleased: false }],
    ['pod surge', { ...byHost, countsReleased: false }],
  ] as const)(
    'can’t be %s while emptied nodes count: the run is refused, with a way to allow it (%#)',
    async (how, spread) => {
      const { handle } = await twoOnEach(how, spread).start();
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
    const { world, start } = twoOnEach(how, spread);
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
