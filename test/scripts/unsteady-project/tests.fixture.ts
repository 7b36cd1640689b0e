import { describe, expect, test } from 'vitest';
import { timesRun } from './times-run.ts';

describe('tests (of a kind)', () => {
  test('one that fails [at first]', () => {
    expect(timesRun('at first')).toBe(2);
  });

  test('one that always fails', () => {
    expect.fail(`for the ${timesRun('always')}. time`);
  });

  test('one that passes', () => {
    expect(timesRun('passes')).toBe(1);
  });
});
