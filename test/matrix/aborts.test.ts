/** An abort at every step of every wave: nothing is lost, and nothing of ours is left. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NodeStep, RunStatus } from '../../core/status/status.ts';
import { disturbancesScenario } from '../../lab/scenarios/disturbances.ts';
import { crossAndAbort, expectUnharmed } from '../support/disturbed-crossing.ts';
import { type Crossings, openCrossings } from '../support/lab-crossings.ts';

const steps = [
  'leaving-load-balancers',
  'draining-connections',
  'evicting',
  'awaiting-replacements',
  'retiring-endpoints',
  'awaiting-transit-connections',
] as const satisfies readonly NodeStep[];

const isAt = (status: RunStatus, step: NodeStep) => status.nodes.some((node) => node.step === step);
const replaced = (status: RunStatus) => status.nodes.filter((node) => node.step === 'replaced').length;

describe('in the first wave', () => {
  let crossings: Crossings;
  beforeAll(async () => {
    crossings = await openCrossings(disturbancesScenario);
  });
  afterAll(async () => {
    await crossings?.close();
  });

  test.each(steps)('while a node is %s', async (step) => {
    const report = await crossAndAbort(crossings, (status) => isAt(status, step));
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

  test.each([...steps, 'terminating'] as const)('while a node is %s', async (step) => {
    crossings = await openCrossings(disturbancesScenario);
    const report = await crossAndAbort(crossings, (status) => replaced(status) > 0 && isAt(status, step), {
      maxInFlight: 1,
    });
    expect(report.outcome).toBe('aborted');
    expect(replaced(report)).toBeGreaterThan(0);
    await expectUnharmed(crossings, report);
  });
});
