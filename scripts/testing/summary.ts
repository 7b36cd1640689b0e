import type { Outcome } from './projects.ts';
import { nameOf } from './repeat.ts';
import type { Counts, TestEnd } from './report.ts';

/** Sum of the counts of all outcomes. */
export function totalCounts(outcomes: readonly Outcome[]): Counts {
  const sum = (pick: (counts: Counts) => number) => outcomes.reduce((total, { counts }) => total + pick(counts), 0);
  return { passed: sum((one) => one.passed), failed: sum((one) => one.failed), skipped: sum((one) => one.skipped) };
}

/** The closing line, e.g. `12 passed, 0 failed, 3 skipped`. */
export function closingLine(counts: Counts): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}

/** One row for each outcome: name, verdict, numbers of tests, seconds. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const header = ['', 'result', 'passed', 'failed', 'skipped', 'seconds'];
  const rows = outcomes.map(({ name, ok, counts, seconds }) => [
    name,
    ok ? 'ok' : 'FAILED',
    ...[counts.passed, counts.failed, counts.skipped].map(String),
    seconds.toFixed(1),
  ]);
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [header, ...rows]
    .map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '))
    .join('\n');
}

/** Text is aligned left, numbers right. */
function pad(cell: string, width: number, column: number): string {
  return column < 2 ? cell.padEnd(width) : cell.padStart(width);
}

/** Maximum number of lines of a failed test's reason that are repeated at the end. */
const REASON_LINES = 12;

/**
 * The output of failed projects, each under its name, and the failed tests of projects whose output was shown long before; empty when none failed.
 */
export function failureOutput(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter(({ ok }) => !ok);
  const printed = failed
    .filter(({ output }) => output !== '')
    .map(({ name, output }) => `--- ${name} ---\n${output.trimEnd()}\n`);
  const told = failed
    .filter(({ output }) => output === '')
    .flatMap(({ failedTests = [] }) => failedTests)
    .map((end) => `--- ${nameOf(end)} ---\n${shorten(end.why)}\n${repeatedAs(end)}`);
  return [...printed, ...told].join('\n');
}

function repeatedAs({ again }: TestEnd): string {
  return again === undefined ? '' : `and when it was repeated:\n${shorten(again)}\n`;
}

function shorten(why: string): string {
  const lines = why.trimEnd().split('\n');
  return lines
    .filter((line) => !line.includes('/node_modules/'))
    .slice(0, REASON_LINES)
    .join('\n');
}
