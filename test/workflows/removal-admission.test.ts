/** Clusters whose admission requires the label by which a Service selects its pods, also of a pod that leaves. */
import { expect, test } from 'vitest';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { expectNothingLeft } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const says = 'admission webhook "validate.kyverno.svc-fail" denied the request: label app is required';

function deniedUpgrade(scene: Parameters<typeof upgradeOf>[0] = {}) {
  const upgrade = upgradeOf({ ...scene, policy: { traffic: { lossBudget: 1_000_000 } } });
  upgrade.world.denials.push({ workload: 'web', what: 'remove-endpoints', says });
  return upgrade;
}

const removed = (log: readonly string[], name: string) =>
  log.filter((line) => line.includes(`pod ${name}-`) && line.endsWith('removed from endpoints'));

test.each([
  ['evicted', {}],
  ['surged', { podSurge: {} }],
] as const)('one such workload gives itself up, not the run, where pods are %s', async (_, scene) => {
  const { world, start } = deniedUpgrade(scene);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLeft(world, 4);
  expect(report.unprotected).toContainEqual(expect.stringMatching(/told to stop while default\/web .*app is required/));
  expect(report.unprotected.filter((what) => /web-\S+ left while .*app is required/.test(what))).toHaveLength(4);
  expect(removed(world.log, 'web')).toEqual([]);
  expect(removed(world.log, 'api').length).toBeGreaterThanOrEqual(4);
});

test('an abort gets by with it too', async () => {
  const upgrade = deniedUpgrade();
  const report = await upgradeAndAbort(upgrade, { step: 'terminateNode' });
  expectNothingLeft(upgrade.world, 4);
  expect(report.unprotected.join('\n')).toContain('label app is required');
});
