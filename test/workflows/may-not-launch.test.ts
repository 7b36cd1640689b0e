import { expect, test } from 'vitest';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { openHarness } from '../support/open-harness.ts';
import { failureOfRun } from '../support/run-checks.ts';

test('a run that may not launch instances ends before anything is locked or suspended', async () => {
  const world = createScenario();
  world.faults.mayNotLaunch = true;
  const begun: string[] = [];
  const harness = await openHarness(world, { before: (step) => void begun.push(step) });
  const { type, report } = await failureOfRun(await harness.start(scenarioPolicy()));
  expect(type).toBe('Forbidden');
  expect(report.outcome).toBe('failed');
  expect(begun).not.toContain('acquireLock');
  expect(ownershipOf(world)).toEqual([]);
  expect(world.pools.map(({ suspended }) => suspended)).toEqual([undefined]);
});
