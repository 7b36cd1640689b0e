import { expect, test } from 'vitest';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { failureOfRun } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

test('a run that may not launch instances ends before anything is locked or suspended', async () => {
  const { world, start } = upgradeOf();
  world.faults.mayNotLaunch = true;
  const begun: string[] = [];
  const { handle } = await start({ before: (step) => void begun.push(step) });
  const { type, report } = await failureOfRun(handle);
  expect(type).toBe('Forbidden');
  expect(report.outcome).toBe('failed');
  expect(begun).not.toContain('acquireLock');
  expect(ownershipOf(world)).toEqual([]);
  expect(world.pools.map(({ suspendedByRun }) => suspendedByRun)).toEqual([undefined]);
  expect(world.pools.map(({ suspended }) => suspended)).toEqual([[]]);
});
