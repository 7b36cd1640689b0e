/** An abort at every step of every wave: nothing is lost, and nothing of ours is left. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { countReplaced, expectUnharmed, metSteps, upgradeAndAbort } from '../support/disturbed-upgrade.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';

describe('in the first wave', () => {
  let upgrades: LabUpgrades;
  beforeAll(async () => {
    upgrades = await openLabUpgrades(disturbancesScenario);
  });
  afterAll(async () => {
    await upgrades?.close();
  });

  test.each(metSteps)('while a node is %s', async (step) => {
    const report = await upgradeAndAbort(upgrades, step);
    expect(report.outcome).toBe('aborted');
    await expectUnharmed(upgrades, report);
  });
});

/** A pool that was replaced in part can't be upgraded again as if it were complete: each has a lab of its own. */
describe('in the second wave, with old nodes gone', () => {
  let upgrades: LabUpgrades | undefined;
  afterEach(async () => {
    await upgrades?.close();
    upgrades = undefined;
  });

  test.each([...metSteps, 'terminating'] as const)('while a node is %s', async (step) => {
    upgrades = await openLabUpgrades(disturbancesScenario);
    const report = await upgradeAndAbort(upgrades, step, { replaced: 1, maxInFlight: 1 });
    expect(report.outcome).toBe('aborted');
    expect(countReplaced(report)).toBeGreaterThan(0);
    await expectUnharmed(upgrades, report);
  });
});
