/** Services to which the load balancer of an Ingress sends through instance groups, as on GKE: of type NodePort, and the label is read with a cordon. */
import { expect, test } from 'vitest';
import { serviceNamed } from '../simulator/disturbances.ts';
import { expectServedByOldPool, upgradeAndAbort } from '../support/abort-run.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

/** Both Services are behind one. */
function behindIngress(scene: UpgradeScene = {}): Upgrade {
  const upgrade = upgradeOf(scene);
  for (const name of ['web', 'api']) {
    const service = serviceNamed(upgrade.world, name);
    service.ofIngress = true;
    service.readsLabelWithCordon = true;
    service.healthCheckNodePort = 0;
  }
  upgrade.world.changed();
  return upgrade;
}

test.each([
  ['evicts', {}],
  ['surges pods', { podSurge: {} }],
] as const)('a run that %s waits for them as for those of type LoadBalancer', async (_, scene) => {
  const { world, start } = behindIngress(scene);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report).toMatchObject({ outcome: 'completed' });
  const deregistered = report.nodes.map(({ evidence }) => evidence.find(({ kind }) => kind === 'deregistered')?.detail);
  expect(deregistered).toHaveLength(4);
  for (const detail of deregistered) expect(detail).toMatch(/k8s-default-web: draining .*k8s-default-api: draining/);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('nodes of a run that is aborted are registered again', async () => {
  const upgrade = behindIngress();
  await upgradeAndAbort(upgrade, { step: 'awaitConnectionsDrained' });
  expectServedByOldPool(upgrade.world);
});

test('a run that does not wait for them loses requests', async () => {
  const policy = { disabledRules: ['wait-for-deregistration' as const], traffic: { lossBudget: 1_000_000 } };
  const { world, start } = behindIngress({ policy });
  const { handle } = await start();
  await handle.result();
  expect(world.traffic.lost).toBeGreaterThan(100);
});
