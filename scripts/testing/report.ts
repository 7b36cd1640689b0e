import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Numbers of tests by outcome. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The outcome of one test, or of a whole file that could not be loaded, set up, or finished. */
export interface TestEnd {
  /** Relative to the project's root. */
  readonly file: string;
  /** The test's full name, as vitest matches it: its suites first, separated by `>`; absent when it is the file. */
  readonly test: string | undefined;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it failed. */
  readonly why: string;
  /** Why it failed when it was repeated. */
  readonly again?: string;
}

/** The parts of vitest's JSON report that are used here. */
interface VitestReport {
  readonly testResults: readonly VitestFile[];
}

interface VitestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly ancestorTitles: readonly string[];
    readonly title: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

/** Reads the outcome of each file and test from vitest's JSON report; a report that was never written has none. Paths are relative to `root`. */
export function readReport(path: string, root: string): readonly TestEnd[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const { testResults } = JSON.parse(text) as VitestReport;
  return testResults.flatMap((file) => endsOf(file, relative(root, file.name)));
}

/** Counts tests. A file that can't even be loaded has no tests to count, but it has failed. */
export function countEnds(ends: readonly TestEnd[]): Counts {
  const tests = ends.filter(({ test }) => test !== undefined);
  const count = (status: TestEnd['status'], of: readonly TestEnd[]) => of.filter((end) => end.status === status).length;
  return { passed: count('passed', tests), failed: count('failed', ends), skipped: count('skipped', tests) };
}

function isBroken(file: VitestFile): boolean {
  return file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed');
}

function endsOf(file: VitestFile, path: string): readonly TestEnd[] {
  const whole: TestEnd = {
    file: path,
    test: undefined,
    status: isBroken(file) ? 'failed' : 'passed',
    why: file.message || 'the file did not finish',
  };
  const tests = file.assertionResults.map(({ ancestorTitles, title, status, failureMessages }): TestEnd => {
    const known = status === 'passed' || status === 'failed' ? status : 'skipped';
    const test = [...ancestorTitles, title].join(' > ');
    return { file: path, test, status: known, why: failureMessages.join('\n') };
  });
  return [whole, ...tests];
}
