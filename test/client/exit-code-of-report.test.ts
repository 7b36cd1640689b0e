import { expect, test } from 'vitest';
import { exitCodeOfReport } from '../../client/output/exit-code-of-report.ts';
import type { RunReport } from '../../core/status/status.ts';
import { aRun } from './run-status-fixture.ts';

function aReport(outcome: RunReport['outcome'], lost: number, sent: number): RunReport {
  const traffic = { sent, lost, slow: 0 };
  return { ...aRun({ traffic }), outcome, durationMs: 1, newNodes: [], leftovers: [], unprotected: [] };
}

test('a run that lost requests only while no node of it was out ends with an exit code of its own', () => {
  const report = aReport('completed', 2, 100);
  const losses = (whileNoneOut: number) => [{ probe: 'web', lost: 2, whileNoneOut, spells: [] }];
  const codes = [1, 2].map((none) =>
    exitCodeOfReport({ ...report, traffic: { ...report.traffic, losses: losses(none) } }),
  );
  expect(codes).toEqual([5, 7]);
});

test.each([
  ['completed', 0, 100, 0],
  ['completed', 1, 100, 5],
  ['completed', 0, 0, 6],
  ['aborted', 0, 100, 4],
  ['aborted', 1, 100, 4],
  ['aborted', 0, 0, 4],
  ['rolled-back', 0, 100, 4],
  ['rolled-back', 1, 100, 4],
  ['failed', 0, 100, 1],
] as const)('a run that is %s and lost %d of %d requests ends with exit code %d', (outcome, lost, sent, code) => {
  expect(exitCodeOfReport(aReport(outcome, lost, sent))).toBe(code);
});
