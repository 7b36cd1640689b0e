import type { TestEnd } from './report.ts';

/** A test that failed, and passed when it was repeated. */
export interface UnsteadyTest {
  readonly name: string;
  /** Why it failed. */
  readonly first: string;
  /** The output when it passed. */
  readonly again: string;
}

/** A run of some tests of a file, or of all. */
export interface Repetition {
  readonly ends: readonly TestEnd[];
  readonly output: string;
  /** Whether nothing failed outside the tests. */
  readonly ok: boolean;
}

/** The outcomes of tests after failed ones were repeated. */
interface Repeated {
  readonly ends: readonly TestEnd[];
  readonly unsteady: readonly UnsteadyTest[];
}

/** More tests than this don't fail at once because they are unsteady: repeating them would only take time. */
const maxRepeated = 10;

/** How a test is named in the output. */
export function nameOf({ file, test }: TestEnd): string {
  return test === undefined ? file : `${file}: ${test}`;
}

/** Repeats failed tests once, file by file. `runAgain` runs the named tests of a file, or the whole file when they aren't named. */
export async function repeatFailures(
  ends: readonly TestEnd[],
  runAgain: (file: string, tests: readonly string[] | undefined) => Promise<Repetition>,
): Promise<Repeated> {
  const failed = ends.filter(({ status }) => status === 'failed');
  if (failed.length > maxRepeated) return { ends, unsteady: [] };
  const unsteady: UnsteadyTest[] = [];
  let now = ends;
  for (const [file, failures] of Map.groupBy(failed, (end) => end.file)) {
    const whole = failures.some(({ test }) => test === undefined);
    const tests = whole ? undefined : failures.flatMap(({ test }) => test ?? []);
    const again = await runAgain(file, tests);
    for (const first of failures) {
      const second = secondOf(first, again);
      const passed = again.ok && second.status === 'passed';
      if (passed) unsteady.push({ name: nameOf(first), first: first.why, again: again.output });
      const end = passed ? second : { ...first, again: second.why };
      now = now.map((one) => (one === first ? end : one));
    }
    // Tests that did not run in an incomplete file have run now.
    if (whole) now = [...now.filter((end) => end.file !== file || end.test === undefined), ...testsOf(again)];
  }
  return { ends: now, unsteady };
}

function testsOf({ ends }: Repetition): readonly TestEnd[] {
  return ends.filter(({ test }) => test !== undefined);
}

function secondOf(first: TestEnd, { ends, output }: Repetition): TestEnd {
  const second = ends.find(({ file, test }) => file === first.file && test === first.test);
  return second === undefined || second.status === 'skipped'
    ? { ...first, why: `it did not run:\n${output}` }
    : { ...second, why: second.why || output };
}
