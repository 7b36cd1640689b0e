import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { projectRoot } from '../setup/sources.ts';

/** Vitest projects of vitest.config.ts, in the order in which they run. */
export const projectNames = ['unit', 'workflow', 'e2e', 'worlds', 'matrix'] as const;

/** Those that `npm test` runs. `matrix` takes hours: everything that can happen beside a crossing, at every step of it. */
export const everydayProjects: readonly ProjectName[] = ['unit', 'workflow', 'e2e'];

/**
 * Those that run beside the others, with what time these leave of the machine: they only compute, for up to an hour of one core.
 */
export const besideProjects: readonly ProjectName[] = ['worlds'];

/** Those that need the lab. */
export const labProjects: readonly ProjectName[] = ['e2e', 'matrix'];

/** Name of a vitest project. */
export type ProjectName = (typeof projectNames)[number];

/**
 * After this time, minutes, the processes that run a project's tests are ended: a test in an endless loop has no other end. Far above what
 * they take where others keep the machine busy.
 */
const minutesAtMost: Readonly<Record<ProjectName, number>> = {
  unit: 15,
  workflow: 40,
  e2e: 60,
  worlds: 300,
  matrix: 300,
};

/** Numbers of tests by how they ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A test that failed, and why. */
export interface FailedTest {
  /** File from the project's root, then the test's full name. */
  readonly name: string;
  readonly why: string;
}

/** How one test project or check ended. */
export interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly counts: Counts;
  readonly seconds: number;
  /** What it printed, where that was kept back instead of shown. */
  readonly output: string;
  /** The tests that failed, where they are known one by one. */
  readonly failedTests?: readonly FailedTest[];
}

/** The parts of vitest's JSON report that are read here. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly VitestFile[];
}

interface VitestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

/** How a program of node_modules/.bin ended. `output` is empty where it was shown. */
export interface ProgramEnd {
  readonly exitCode: number;
  readonly seconds: number;
  readonly output: string;
}

/** Runs a program of node_modules/.bin in the project; its output is shown as it comes, or kept back. */
export function runProgram(
  name: string,
  args: readonly string[],
  output: 'shown' | 'kept',
  { minutes, nice = 0 }: { readonly minutes?: number; readonly nice?: number } = {},
): Promise<ProgramEnd> {
  const startedMs = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const stdio = output === 'shown' ? 'inherit' : 'pipe';
  const child = spawn('nice', ['-n', String(nice), join(projectRoot, 'node_modules', '.bin', name), ...args], {
    cwd: projectRoot,
    // What is kept back is printed later, among other things: without colours.
    env: output === 'shown' ? process.env : { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    stdio: ['ignore', stdio, stdio],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  // Vitest then tells which files did not finish, and goes on with the others.
  const endWorkers = () => spawnSync('pkill', ['-KILL', '-P', String(child.pid)]);
  const limit = minutes === undefined ? undefined : setInterval(endWorkers, minutes * 60_000);
  child.on('error', reject);
  child.on('close', (code) => {
    clearInterval(limit);
    resolve({ exitCode: code ?? 1, seconds: (performance.now() - startedMs) / 1000, output: text });
  });
  return promise;
}

/** Runs the tests of one project. A project that holds no tests has failed: there is nothing that it could show. */
export async function runProject(project: ProjectName, output: 'shown' | 'kept'): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-test-'));
  try {
    const report = join(directory, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const args = ['run', '--project', project, '--passWithNoTests', ...reporters];
    const nice = besideProjects.includes(project) ? 19 : 0;
    const end = await runProgram('vitest', args, output, { minutes: minutesAtMost[project], nice });
    const read = readReport(report);
    const counts = withFailure(read.counts, end.exitCode);
    const ok = end.exitCode === 0 && counts.failed === 0;
    return { name: project, ok, counts, seconds: end.seconds, output: end.output, failedTests: read.failedTests };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Number of tests in a project, found without running any. */
export async function countTests(project: ProjectName): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-test-'));
  try {
    const list = join(directory, 'list.json');
    const end = await runProgram('vitest', ['list', '--project', project, `--json=${list}`], 'kept');
    if (end.exitCode !== 0) throw new Error(`cannot list the tests of ${project}:\n${end.output}`);
    return (JSON.parse(readFileSync(list, 'utf8')) as readonly unknown[]).length;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readReport(path: string): { readonly counts: Counts; readonly failedTests: readonly FailedTest[] } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { counts: { passed: 0, failed: 0, skipped: 0 }, failedTests: [] };
  }
  const report = JSON.parse(text) as VitestReport;
  const failedTests = report.testResults.flatMap(findFailedTests);
  // A file that cannot even be loaded has no tests to count, yet it has failed.
  const broken = report.testResults.filter(isBroken).length;
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  return { counts, failedTests };
}

function isBroken(file: VitestFile): boolean {
  return file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed');
}

function findFailedTests(file: VitestFile): readonly FailedTest[] {
  const path = relative(projectRoot, file.name);
  if (isBroken(file)) return [{ name: path, why: file.message }];
  return file.assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({ name: `${path}: ${fullName}`, why: failureMessages.join('\n') }));
}

/** The counts, where a run that failed as a whole (a crash, an unhandled error) or ran nothing counts as one failure. */
function withFailure(counts: Counts, exitCode: number): Counts {
  const nothing = counts.passed + counts.failed + counts.skipped === 0;
  return counts.failed === 0 && (exitCode !== 0 || nothing) ? { ...counts, failed: 1 } : counts;
}
