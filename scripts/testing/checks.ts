import { type Outcome, runProgram } from './projects.ts';

interface Check {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

const checks: readonly Check[] = [
  { name: 'types', program: 'tsc', args: ['--noEmit'] },
  { name: 'lint', program: 'oxlint', args: ['--type-aware'] },
  { name: 'format', program: 'biome', args: ['ci', '--colors=off', '--reporter=summary', '.'] },
];

/** Checks types, lint rules and format, one after the other; each counts as one test. */
export async function runChecks(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { name, program, args } of checks) {
    const end = await runProgram(program, args, 'kept');
    const ok = end.exitCode === 0;
    const counts = { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
    outcomes.push({ name, ok, counts, seconds: end.seconds, output: end.output });
  }
  return outcomes;
}
