import { expect, test } from 'vitest';
import { busiest, describeMachine } from '../../scripts/testing/machine.ts';

const use = (name: string, ticks: number) => ({ name, ticks });

test('the busiest processes are those that used most since the first observation, not since they began', () => {
  const before = new Map([
    ['1', use('old', 90_000)],
    ['2', use('node vitest.mjs', 500)],
    ['3', use('temporal', 10)],
  ]);
  const after = new Map([
    ['1', use('old', 90_004)],
    ['2', use('node vitest.mjs', 590)],
    ['3', use('temporal', 35)],
    ['4', use('new', 70)],
  ]);
  expect(busiest(before, after, 1_000)).toEqual([
    { name: 'node vitest.mjs', percent: 90 },
    { name: 'temporal', percent: 25 },
  ]);
});

test('a machine is described in one line', async () => {
  expect(await describeMachine()).toMatch(
    /^machine: \d+ processors, load average [\d.]+ [\d.]+ [\d.]+; (busy with|nothing)/,
  );
});
