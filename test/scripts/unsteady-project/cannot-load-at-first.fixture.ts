import { expect, test } from 'vitest';
import { timesRun } from './times-run.ts';

if (timesRun('loads') === 1) throw new Error('it cannot be loaded');

test('one that had no turn', () => {
  expect(timesRun('had no turn')).toBe(1);
});
