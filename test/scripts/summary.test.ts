import { expect, test } from 'vitest';

import type { Outcome } from '../../scripts/testing/projects.ts';
import { closingLine, failureOutput, outcomeTable, totalCounts } from '../../scripts/testing/summary.ts';

const outcomes: readonly Outcome[] = [
  {
    name: 'lint',
    ok: false,
    counts: { passed: 0, failed: 1, skipped: 0 },
    seconds: 1.24,
    output: 'a floating promise\n',
  },
  { name: 'unit', ok: true, counts: { passed: 1200, failed: 0, skipped: 0 }, seconds: 12, output: 'chatter' },
  { name: 'e2e', ok: true, counts: { passed: 0, failed: 0, skipped: 14 }, seconds: 0, output: '' },
];

test('the closing line counts all projects together', () => {
  expect(closingLine(totalCounts(outcomes))).toBe('1200 passed, 1 failed, 14 skipped');
});

test('the table has a row for each outcome', () => {
  expect(outcomeTable(outcomes)).toBe(
    [
      '      result  passed  failed  skipped  seconds',
      'lint  FAILED       0       1        0      1.2',
      'unit  ok        1200       0        0     12.0',
      'e2e   ok           0       0       14      0.0',
    ].join('\n'),
  );
});

test('only what failed is shown again', () => {
  expect(failureOutput(outcomes)).toBe('--- lint ---\na floating promise\n');
});

test('a failed test whose output was shown long before is told again, with the beginning of its reason', () => {
  const why = Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join('\n');
  const counts = { passed: 8, failed: 1, skipped: 0 };
  const file = 'test/e2e/lab.test.ts';
  const failedTests = [{ file, test: 'a lab comes up', status: 'failed' as const, why, again: 'it came up too late' }];

  const told = failureOutput([{ name: 'e2e', ok: false, counts, seconds: 9, output: '', failedTests }]);

  expect(told.split('\n').slice(0, 2)).toEqual(['--- test/e2e/lab.test.ts: a lab comes up ---', 'line 1']);
  expect(told).toContain('line 12\nand when it was repeated:\nit came up too late\n');
  expect(told).not.toContain('line 13');
});
