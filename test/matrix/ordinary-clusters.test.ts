/** LabUpgrades of clusters as they are: pods that failed lie about, replicas are missing, Deployments are made again. All of them end by themselves. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { expectUnharmed, upgradeAndAbort } from '../support/disturbed-upgrade.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';
import { type OrdinaryTroubles, openOrdinaryTroubles } from '../support/ordinary-troubles.ts';
import { watchServiceLevels } from '../support/service-levels.ts';

let upgrades: LabUpgrades;
let troubles: OrdinaryTroubles;

beforeAll(async () => {
  upgrades = await openLabUpgrades(disturbancesScenario);
  troubles = openOrdinaryTroubles(upgrades.session.lab);
});

afterAll(async () => {
  await upgrades?.close();
});

test('a Failed pod that lies about neither delays an abort nor has a replacement for it expected', async () => {
  await troubles.leaveFailedPod('web');
  await troubles.leaveFailedPod('api');
  const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
  const report = await upgradeAndAbort(upgrades, 'draining-connections', { podSurge: true });
  expect(report.outcome).toBe('aborted');
  await expectUnharmed(upgrades, report);
  expect(await levels.stop()).toEqual([]);
});

test('a Deployment that is away for three seconds as its pods are released keeps all of them', async () => {
  await upgrades.beginClean();
  const replaced = troubles.released('web').then(async () => await troubles.replaceDeployment('web', 3_000));
  const levels = await watchServiceLevels(upgrades.session.lab.kubeconfigPath);
  const report = await upgrades.upgrade(upgrades.nextPolicy({ podSurge: true }));
  await replaced;
  expect(report.outcome).toBe('completed');
  await expectUnharmed(upgrades, report);
  expect(await levels.stop()).toEqual([]);
});

test('a replica that a quota refuses costs its workload the pod surge, and nobody else anything', async () => {
  const adoptPods = await troubles.missOneByQuota('web');
  await upgrades.beginClean();
  const report = await upgrades.upgrade(upgrades.nextPolicy({ podSurge: true }));
  expect(report.outcome).toBe('completed');
  await expectUnharmed(upgrades, report);
  await adoptPods();
});
