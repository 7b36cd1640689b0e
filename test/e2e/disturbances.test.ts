/**
 * What happens beside an upgrade of the real lab costs no more than it costs alone. Representative ones; `npm run matrix` has each of
 * them happen at each step.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import {
  countReplaced,
  expectUnharmed,
  nothing,
  upgradeAndAbort,
  upgradeDisturbed,
} from '../support/disturbed-upgrade.ts';
import { type Disturbances, openDisturbances } from '../support/lab-disturbances.ts';
import { type LabUpgrades, openLabUpgrades } from '../support/lab-upgrades.ts';

let upgrades: LabUpgrades;
let disturbances: Disturbances;

beforeAll(async () => {
  upgrades = await openLabUpgrades(disturbancesScenario);
  disturbances = openDisturbances(upgrades.session.lab);
});

afterAll(async () => {
  await upgrades?.close();
});

test('somebody who removes the label of a node, at each step, costs nothing, and is reported', async () => {
  const report = await upgradeDisturbed(upgrades, {
    steps: ['deregistering', 'draining-connections', 'evicting', 'removing-endpoints'],
    strike: disturbances.removeLabel,
    alone: nothing,
  });
  const acts = [...report.externalChanges, ...report.nodes.flatMap((node) => node.externalChanges ?? [])];
  expect(acts.map(({ what }) => what).join('\n')).toMatch(/somebody removed the exclude label/);
});

// The last: it leaves a pool that is replaced in part.
test('an abort with some nodes replaced loses nothing, also to Auto Scaling, long after its end', async () => {
  const report = await upgradeAndAbort(upgrades, 'draining-connections', { replaced: 1, maxInFlight: 1 });
  expect(report.outcome).toBe('aborted');
  expect(countReplaced(report)).toBeGreaterThan(0);
  await expectUnharmed(upgrades, report);
});
