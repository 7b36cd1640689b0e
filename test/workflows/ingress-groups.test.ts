/** Services to which the load balancer of an Ingress sends through instance groups, as on GKE: of type NodePort, and the label is read with a cordon. */
import { expect, test } from 'vitest';
import { resumeUpdate } from '../../workflows/messages.ts';
import { serviceNamed } from '../simulator/disturbances.ts';
import { expectServedByOldPool, upgradeAndAbort } from '../support/abort-run.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';
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

test('a run whose target groups are not found is refused', async () => {
  const { world, start } = behindIngress();
  serviceNamed(world, 'web').balancer = 'classic';
  const { handle } = await start();
  const { type, report } = await failureOfRun(handle);
  expect(type).toBe('PreflightRefused');
  expect(report.stalled?.message).toMatch(/1 blocker: SVC-027 service default\/web: .* which was not found/);
  expectNothingLeft(world, 4);
});

test('target groups that are not found any more block further nodes, until they are again', async () => {
  const { world, start } = behindIngress();
  const web = serviceNamed(world, 'web');
  const { harness, handle } = await start({
    before: (step) => {
      if (step === 'cordonNodes') web.balancer = 'classic';
    },
  });
  const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
  expect(stalled?.message).toContain("default/web can't be protected");
  harness.hooks.before = () => undefined;
  delete web.balancer;
  await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'fixed' }] });
  expect((await harness.finish(handle)).outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('a run that does not wait for them loses requests', async () => {
  const policy = { disabledRules: ['wait-for-deregistration' as const], traffic: { lossBudget: 1_000_000 } };
  const { world, start } = behindIngress({ policy });
  const { handle } = await start();
  await handle.result();
  expect(world.traffic.lost).toBeGreaterThan(100);
});
