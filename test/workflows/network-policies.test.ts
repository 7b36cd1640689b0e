/** Network policies select by labels, and a pod that is removed from its endpoints loses one. */
import { describe, expect, test } from 'vitest';
import { type ScenarioOptions } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

/** Network policies allow pods by their label `app` alone; Services select by that label and by others. */
function policed(selectAlso: Readonly<Record<string, string>>, options: ScenarioOptions = {}): Upgrade {
  const upgrade = upgradeOf({ ...options, podSurge: {}, policy: { traffic: { lossBudget: 1_000_000 } } });
  const { world } = upgrade;
  const names = new Set(world.workloads.map(({ name }) => name));
  world.networkPolicies = [...names].map((name) => ({ name, selector: { app: name } }));
  for (const workload of world.workloads) workload.labels = { ...workload.labels, ...selectAlso };
  for (const pod of world.pods) pod.labels = { ...pod.labels, ...selectAlso };
  for (const service of world.services) service.selector = { ...service.selector, ...selectAlso };
  world.changed();
  return upgrade;
}

async function cross({ start }: Upgrade) {
  const { harness, handle } = await start();
  return await harness.finish(handle);
}

const endpointsRemoved = (world: World) => world.log.filter((line) => line.endsWith('removed from endpoints'));

describe('pods whose traffic a network policy allows by one label', () => {
  test('lose another label that their Service selects by, and no request is lost', async () => {
    const upgrade = policed({ tier: 'front' });
    const { world } = upgrade;
    const report = await cross(upgrade);
    expect(report.outcome).toBe('completed');
    expect(endpointsRemoved(world).length).toBeGreaterThan(0);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('lose requests where the run may not read the network policies', async () => {
    const upgrade = policed({ zone: 'here' });
    const { world } = upgrade;
    world.faults.policiesHidden = true;
    const report = await cross(upgrade);
    expect(report.outcome).toBe('completed');
    expect(world.traffic.lost).toBeGreaterThan(0);
  });

  test('keep it where there is no other, and lose nothing if they continue to serve when told to stop', async () => {
    const upgrade = policed({}, { preStopSeconds: 10 });
    const { world } = upgrade;
    const report = await cross(upgrade);
    expect(report.outcome).toBe('completed');
    expect(endpointsRemoved(world).filter((line) => !line.includes('agent'))).toEqual([]);
    // The DaemonSet's pods stop at once.
    expect(world.log.filter((line) => /default\/(web|api): .* requests lost/.test(line))).toEqual([]);
  });

  test('keep it where there is no other, and the report names pods that left while they were endpoints', async () => {
    const report = await cross(policed({}));
    expect(report.outcome).toBe('completed');
    const told = report.unprotected.join('\n');
    expect(told).toMatch(/listed it: NetworkPolicy default\/web goes by its label app/);
    expect(told).toMatch(/told to stop while callers are sent there, because NetworkPolicy default\/agent/);
  });
});
