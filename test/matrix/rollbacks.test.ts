/** A rollback at every step, with none and with half of the old nodes gone: the old pool serves at its size again, and nothing is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { countReplaced, expectUnharmed, metSteps, upgradeAndRollBack } from '../support/disturbed-upgrade.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';
import { poolInCloud } from '../support/pool-in-cloud.ts';

/** A pool that was rolled back is complete: it is upgraded again and again in one lab. */
describe.each([
  ['no old node gone', 0],
  ['old nodes gone', 2],
] as const)('with %s', (_, replaced) => {
  let upgrades: LabUpgrades;
  beforeAll(async () => {
    upgrades = await openLabUpgrades(disturbancesScenario);
  });
  afterAll(async () => {
    await upgrades?.close();
  });

  test.each([...metSteps, 'terminating'] as const)('while a node is %s', async (step) => {
    const { model } = upgrades.session.lab.aws;
    const before = poolInCloud(model, upgrades.pool());
    const report = await upgradeAndRollBack(upgrades, step, { replaced, maxInFlight: 1 });
    expect(report.outcome).toBe('rolled-back');
    expect(countReplaced(report)).toBeGreaterThanOrEqual(replaced);
    if (replaced > 0) expect(report.rollback?.nodes?.length).toBeGreaterThanOrEqual(replaced);
    await expectUnharmed(upgrades, report);
    expect(report.leftovers).toEqual([]);
    const after = poolInCloud(model, report.pool);
    expect(after).toEqual(before);
    expect(after?.zones).toHaveLength(after?.desired ?? 0);
    expect(poolInCloud(model, report.newPool)).toBeUndefined();
  });
});
