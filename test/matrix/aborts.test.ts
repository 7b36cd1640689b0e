/** An abort at every step of every wave: nothing is lost, and nothing of ours is left. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { countReplaced, crossAndAbort, expectUnharmed, metSteps } from '../support/disturbed-upgrade.ts';
import { type Crossings, openCrossings } from '../support/lab-upgrades.ts';

describe('in the first wave', () => {
  let crossings: Crossings;
  beforeAll(async () => {
    crossings = await openCrossings(disturbancesScenario);
  });
  afterAll(async () => {
    await crossings?.close();
  });

  test.each(metSteps)('while a node is %s', async (step) => {
    const report = await crossAndAbort(crossings, step);
    expect(report.outcome).toBe('aborted');
    await expectUnharmed(crossings, report);
  });
});

/** A pool that was replaced in part can't be crossed again as if it were whole: each has a lab of its own. */
describe('in the second wave, with old nodes gone', () => {
  let crossings: Crossings | undefined;
  afterEach(async () => {
    await crossings?.close();
    crossings = undefined;
  });

  test.each([...metSteps, 'terminating'] as const)('while a node is %s', async (step) => {
    crossings = await openCrossings(disturbancesScenario);
    const report = await crossAndAbort(crossings, step, { replaced: 1, maxInFlight: 1 });
    expect(report.outcome).toBe('aborted');
    expect(countReplaced(report)).toBeGreaterThan(0);
    await expectUnharmed(crossings, report);
  });
});
