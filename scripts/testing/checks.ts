import { type Outcome, runProgram } from './projects.ts';

interface Check {
  readonly name: string;
  /** A program of node_modules/.bin, or the path of one. */
  readonly program: string;
  readonly args: readonly string[];
}

const checks: readonly Check[] = [
  {
    name: 'types',
    program: 'tsc',
    args: ['--noEmit', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'],
  },
  { name: 'lint', program: 'oxlint', args: ['--type-aware'] },
  { name: 'format', program: 'biome', args: ['ci', '--colors=off', '--reporter=summary', '.'] },
  { name: 'sizes', program: process.execPath, args: ['scripts/sizes/main.ts'] },
  { name: 'imports', program: process.execPath, args: ['scripts/imports/main.ts'] },
  { name: 'words', program: process.execPath, args: ['scripts/words/main.ts'] },
];

/** Checks types, lint rules, format and what else is on the list, one after the other; each counts as one test. */
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
