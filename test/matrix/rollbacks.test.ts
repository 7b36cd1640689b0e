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

  test.runIf(replaced > 0)('an instance of the old pool that never joins is replaced', async () => {
    const { aws } = upgrades.session.lab;
    const before = poolInCloud(aws.model, upgrades.pool());
    const unjoined = new Set<string>();
    const report = await upgradeAndRollBack(upgrades, 'evicting', {
      replaced,
      maxInFlight: 1,
      waits: { deadlines: { nodesReady: '45s' } },
      // The instances of the new pool run already: the next one to be launched is of the old pool.
      justBefore: () => aws.faults.neverJoin(1),
    });
    for (const { id, neverJoins } of aws.model.instances.values()) if (neverJoins) unjoined.add(id);
    expect(report.outcome).toBe('rolled-back');
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'rollback']);
    expect(unjoined.size).toBe(1);
    const [id = ''] = unjoined;
    expect(report.externalChanges.map(({ what }) => what)).toContainEqual(
      expect.stringContaining(`${id} of ${report.pool} did not join the cluster in time`),
    );
    await expect.poll(() => aws.model.instances.get(id)?.state ?? 'terminated', { timeout: 60_000 }).toBe('terminated');
    await expectUnharmed(upgrades, report);
    expect(report.leftovers).toEqual([]);
    const after = poolInCloud(aws.model, report.pool);
    expect(after).toEqual(before);
    expect(after?.zones).toHaveLength(after?.desired ?? 0);
    expect(poolInCloud(aws.model, report.newPool)).toBeUndefined();
  });
});
