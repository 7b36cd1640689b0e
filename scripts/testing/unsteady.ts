import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../setup/cache.ts';
import type { UnsteadyTest } from './repeat.ts';

/** What was unsteady in the last run of a project, and where and when that ran. */
interface LastTime {
  readonly at: string;
  readonly folder: string;
  readonly tests: readonly UnsteadyTest[];
}

/** By project. */
type Memory = Readonly<Record<string, LastTime>>;

/** Maximum number of lines of a test's output that are kept: its end, which contains the reason. */
const keptLines = 100;

/** The file that keeps this from one run to the next, for all checkouts of the user: continuous integration starts with a fresh clone. */
export function unsteadyFile(): string {
  return join(cacheDirectory(), 'unsteady-tests.json');
}

/** Stores what was unsteady in a project, replacing the previous record. */
export function rememberUnsteady(path: string, project: string, now: LastTime): void {
  const { [project]: _before, ...others } = read(path);
  const memory: Memory = now.tests.length === 0 ? others : { ...others, [project]: now };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(memory, undefined, 2)}\n`);
}

/** What was unsteady last time, one test per line; empty when nothing was. */
export function recallUnsteady(path: string): string {
  const lines = Object.values(read(path)).flatMap(({ at, folder, tests }) =>
    tests.map(({ name, first }) => `  ${name}: ${first.split('\n')[0]} (${at}, ${folder})`),
  );
  return lines.length === 0 ? '' : ['unsteady last time:', ...lines, `  in full: ${path}`].join('\n');
}

/** The tests that passed only when they were repeated, under their own heading, with both outputs; empty when there are none. */
export function unsteadyOutput(tests: readonly UnsteadyTest[], path: string): string {
  if (tests.length === 0) return '';
  const heading = `UNSTEADY: failed, and passed when repeated. Each is a defect to be fixed. Recorded in ${path}`;
  return [
    `=== ${heading}`,
    ...tests.map(({ name, first, again }) =>
      [`--- ${name} ---`, 'first:', endOf(first), 'repeated:', endOf(again), ''].join('\n'),
    ),
  ].join('\n');
}

function endOf(output: string): string {
  return output.trimEnd().split('\n').slice(-keptLines).join('\n');
}

function read(path: string): Memory {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Memory;
  } catch {
    // There is none, or writing it was interrupted.
    return {};
  }
}
