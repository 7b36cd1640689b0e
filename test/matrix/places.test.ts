/** LabUpgrades in clusters of other shapes: three zones, and two pools behind the same Services at once. */
import { afterEach, expect, test } from 'vitest';
import { startLabUpgrade } from '../../demo/lab-upgrade.ts';
import { oneEndpointPerZone, threeZonesScenario, twoPoolsScenario } from '../../lab/scenarios/disturbances.ts';
import { openCluster } from '../../wiring/cluster.ts';
import { expectUnharmed } from '../support/disturbed-upgrade.ts';
import { followToEnd } from '../support/follow-to-end.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';
import { watchServiceLevels } from '../support/service-levels.ts';

let upgrades: LabUpgrades | undefined;

afterEach(async () => {
  await upgrades?.close();
  upgrades = undefined;
});

test('a pool in three zones loses nothing, and ends spread over all of them', async () => {
  upgrades = await openLabUpgrades(threeZonesScenario);
  await upgrades.beginClean();
  const report = await upgrades.upgrade(upgrades.nextPolicy());
  expect(report.outcome).toBe('completed');
  await expectUnharmed(upgrades, report);
  const zones = report.newNodes.map(({ zone }) => zone);
  expect(new Set(zones).size).toBe(3);
});

test.each([
  [2, oneEndpointPerZone(2)],
  [3, oneEndpointPerZone(3)],
  [3, oneEndpointPerZone(3, { requiresZones: true })],
])(
  'a pool with one node and one endpoint in each of %i zones is surged at once, and nobody ever has less',
  async (zones, scenario) => {
    upgrades = await openLabUpgrades(scenario);
    await upgrades.beginClean();
    const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
    const report = await upgrades.upgrade(upgrades.nextPolicy({ podSurge: true }));
    expect(report.outcome).toBe('completed');
    await expectUnharmed(upgrades, report);
    expect(await levels.stop()).toEqual([]);
    expect(new Set(report.newNodes.map(({ zone }) => zone)).size).toBe(zones);
  },
);

test('two pools behind the same Services are replaced at once, and lose nothing', async () => {
  upgrades = await openLabUpgrades(twoPoolsScenario);
  const { session } = upgrades;
  await upgrades.beginClean();
  const web = upgrades.nextPolicy();
  const next = upgrades.nextPolicy();
  const blue = { ...next, pool: { ...next.pool, name: 'blue' } };
  await Promise.all([startLabUpgrade(session, web), startLabUpgrade(session, blue)]);
  const reports = await Promise.all([followToEnd(session, web), followToEnd(session, blue)]);
  expect(reports.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  for (const report of reports) await expectUnharmed(upgrades, report);
  const cluster = openCluster({ kubeconfig: session.lab.kubeconfigPath });
  try {
    const { nodes } = await cluster.observe();
    expect(nodes.filter(({ pool }) => pool === 'web' || pool === 'blue')).toEqual([]);
  } finally {
    cluster.close();
  }
});
