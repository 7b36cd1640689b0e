import { expect, test } from 'vitest';
import { exitCodeOfReport } from '../../client/commands/watch.ts';
import type { RunReport } from '../../core/status/status.ts';
import { aRun } from './run-status-fixture.ts';

function aReport(outcome: RunReport['outcome'], lost: number): RunReport {
  const traffic = { sent: 100, lost, slow: 0 };
  return { ...aRun({ traffic }), outcome, makespanMs: 1, newNodes: [], leftBehind: [], notProtected: [] };
}

test.each([
  ['completed', 0, 0],
  ['completed', 1, 5],
  ['aborted', 0, 4],
  ['aborted', 1, 4],
  ['failed', 0, 1],
] as const)('a run that is %s and lost %d ends with exit code %d', (outcome, lost, code) => {
  expect(exitCodeOfReport(aReport(outcome, lost))).toBe(code);
});
