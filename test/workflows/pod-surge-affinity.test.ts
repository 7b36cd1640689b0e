/** Pods that require a pod of another workload on their node. */
import { expect, test } from 'vitest';
import type { Policy } from '../../core/policy/policy.ts';
import { besideOnHost } from '../simulator/pods.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

/** Pods of `web` must run beside a pod of `api`, as they do; `told` is what their specs say about it. */
function webBesideApi({ told = [besideOnHost('api')], policy = {} } = {}): Upgrade {
  const upgrade = upgradeOf({ podSurge: {}, policy });
  const { world } = upgrade;
  for (const one of world.workloads) if (one.name === 'web') one.beside = 'api';
  for (const pod of world.pods) if (pod.of === 'web') pod.besides = told;
  return upgrade;
}

const releasedOf = (world: World, name: string) =>
  world.log.filter((line) => new RegExp(`pod ${name}-\\d+ .* released`).test(line)).length;

const apiEvicted: Partial<Policy> = {
  podSurge: { mode: 'auto', max: 1, workloads: { 'default/api': { mode: 'off', max: 1 } } },
};

test('are surged with it', async () => {
  const { world, start } = webBesideApi();
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
  expect([releasedOf(world, 'web'), releasedOf(world, 'api')]).toEqual([4, 4]);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('are evicted with it where that workload is not surged, and no step waits for replacements that can’t be scheduled', async () => {
  const { world, start } = webBesideApi({ policy: apiEvicted });
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
  expect(releasedOf(world, 'web')).toBe(0);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('surged alone can’t be scheduled, and delay the run by a quarter of an hour where their specs do not show it', async () => {
  const { start } = webBesideApi({ told: [], policy: apiEvicted });
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.unprotected.join()).toMatch(
    /Deployment default\/web was evicted within its budget instead of being surged: .*cannot be scheduled/,
  );
});
