import { afterEach, expect, test, vi } from 'vitest';
import { showEnd } from '../../client/commands/watch.ts';
import { aReport } from './run-report-fixture.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a report that is written as a document is not printed too, and has the same exit code and next steps', () => {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const report = aReport({ outcome: 'failed', phase: 'failed' });
  const shown: unknown[] = [];
  expect(showEnd({ status: report, report }, 'table', (one) => shown.push(one))).toBe(1);
  expect(shown).toEqual([report]);
  expect(stdout).not.toHaveBeenCalled();
  expect(stderr).toHaveBeenCalledWith(expect.stringContaining('nodeferry cleanup prod/web --yes'));
});
