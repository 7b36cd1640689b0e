import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { projectRoot } from '../setup/sources.ts';
import { repeatFailures, type UnsteadyTest } from './repeat.ts';
import { type Counts, countEnds, readReport, type TestEnd } from './report.ts';
import { unhandledFileVariable } from './unhandled-errors.ts';

/** Vitest projects of vitest.config.ts, in the order in which they run. */
export const projectNames = [
  'unit',
  'workflow',
  'e2e',
  'worlds',
  'matrix',
  'every-step',
  'google-controllers',
] as const;

/**
 * Projects that `npm test` runs. `matrix` takes hours: everything that can happen during an upgrade, at each of its steps; `every-step` is the same in
 * virtual time. `google-controllers` needs programs that nothing else needs.
 */
export const everydayProjects: readonly ProjectName[] = ['unit', 'workflow', 'e2e'];

/** Projects that run in parallel with the others, with the processor time that these leave: they only compute, for up to an hour of one core. */
export const besideProjects: readonly ProjectName[] = ['worlds'];

/**
 * Projects that repeat a failed test once: they run against a real server or a real cluster, beside other load on the machine. A test that passes
 * then is unsteady. That is a defect to be fixed, but no reason to lose a run of an hour. Tests of the other projects depend on nothing outside.
 */
const repeatedProjects: readonly ProjectName[] = ['workflow', 'e2e', 'matrix', 'every-step'];

/** Projects that need a Temporal server. */
export const temporalProjects: readonly ProjectName[] = ['workflow', 'every-step'];

/** Projects that need the lab. */
export const labProjects: readonly ProjectName[] = ['e2e', 'matrix', 'google-controllers'];

/** Name of a vitest project. */
export type ProjectName = (typeof projectNames)[number];

/**
 * After this time, minutes, the processes that run a project's tests are killed: a test in an endless loop has no other end. Far above what they take
 * on a busy machine.
 */
const maxMinutes: Readonly<Record<ProjectName, number>> = {
  unit: 15,
  workflow: 60,
  e2e: 60,
  worlds: 300,
  matrix: 300,
  'every-step': 120,
  'google-controllers': 90,
};

/** The outcome of one test project or check. */
export interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly counts: Counts;
  readonly seconds: number;
  /** Its output, when it was collected instead of shown. */
  readonly output: string;
  /** The tests that failed, when they are known individually. */
  readonly failedTests?: readonly TestEnd[];
  /** Tests that failed and passed when they were repeated; absent when nothing is ever repeated. */
  readonly unsteady?: readonly UnsteadyTest[];
}

/** The outcome of a program of node_modules/.bin. `output` is empty when it was shown. */
interface ProgramEnd {
  readonly exitCode: number;
  readonly seconds: number;
  readonly output: string;
}

/** How a program is run. */
interface ProgramOptions {
  /** Its children are killed after this time. */
  readonly minutes?: number;
  readonly nice?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program of node_modules/.bin in the project; its output is shown as it comes, or collected. */
export function runProgram(
  name: string,
  args: readonly string[],
  output: 'shown' | 'kept',
  { minutes, nice = 0, env = {} }: ProgramOptions = {},
): Promise<ProgramEnd> {
  const startedMs = performance.now();
  const ended = Promise.withResolvers<ProgramEnd>();
  const stdio = output === 'shown' ? 'inherit' : 'pipe';
  const child = spawn('nice', ['-n', String(nice), resolve(projectRoot, 'node_modules', '.bin', name), ...args], {
    cwd: projectRoot,
    // Collected output is printed later, among other things, so it has no colours.
    env: { ...process.env, ...env, ...(output === 'shown' ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined }) },
    stdio: ['ignore', stdio, stdio],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  // Vitest then reports which files did not finish, and continues with the others.
  const endWorkers = () => spawnSync('pkill', ['-KILL', '-P', String(child.pid)]);
  const limit = minutes === undefined ? undefined : setInterval(endWorkers, minutes * 60_000);
  child.on('error', ended.reject);
  child.on('close', (code) => {
    clearInterval(limit);
    ended.resolve({ exitCode: code ?? 1, seconds: (performance.now() - startedMs) / 1000, output: text });
  });
  return ended.promise;
}

/**
 * Runs the tests of one project, and repeats failed tests once if the project is in `repeatedProjects`. A project without tests has failed, because
 * it shows nothing. `root` contains vitest's configuration.
 */
export async function runProject(
  project: ProjectName,
  output: 'shown' | 'kept',
  root: string = projectRoot,
): Promise<Outcome> {
  const minutes = maxMinutes[project];
  const first = await runVitest(project, output, { root, minutes });
  let { ends } = first;
  let { seconds } = first.end;
  let unsteady: readonly UnsteadyTest[] | undefined;
  if (repeatedProjects.includes(project)) {
    ({ ends, unsteady } = await repeatFailures(ends, async (file, tests) => {
      const again = await runVitest(project, 'kept', {
        root,
        minutes: Math.max(1, minutes - seconds / 60),
        file,
        tests,
      });
      seconds += again.end.seconds;
      return { ends: again.ends, output: again.end.output, ok: again.unhandledErrors === 0 };
    }));
  }
  const counted = countEnds(ends);
  // A run that failed as a whole, because of a crash or an error outside every test, or that ran nothing, counts as one more failure.
  const explained = first.ends.some(({ status }) => status === 'failed') && first.unhandledErrors === 0;
  const failedAsWhole = ends.length === 0 || (first.end.exitCode !== 0 && !explained);
  const counts = counted.failed === 0 && failedAsWhole ? { ...counted, failed: 1 } : counted;
  return {
    name: project,
    ok: counts.failed === 0,
    counts,
    seconds,
    output: first.end.output,
    failedTests: ends.filter(({ status }) => status === 'failed'),
    ...(unsteady === undefined ? {} : { unsteady }),
  };
}

/** What a run of vitest may be limited to. */
interface Limits {
  readonly root: string;
  readonly minutes: number;
  readonly file?: string;
  readonly tests?: readonly string[] | undefined;
}

/** The outcome of a run of vitest and its report. */
interface VitestRun {
  readonly end: ProgramEnd;
  readonly ends: readonly TestEnd[];
  readonly unhandledErrors: number;
}

async function runVitest(
  project: ProjectName,
  output: 'shown' | 'kept',
  { root, minutes, file, tests }: Limits,
): Promise<VitestRun> {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-test-'));
  try {
    const report = join(directory, 'report.json');
    const unhandled = join(directory, 'unhandled');
    const reporters = [
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `--reporter=${reporterFile('unhandled-errors.ts')}`,
      ...(labProjects.includes(project) ? [`--reporter=${reporterFile('failures-at-once.ts')}`] : []),
    ];
    const chosen = [...(file === undefined ? [] : [file]), ...(tests === undefined ? [] : ['-t', patternOf(tests)])];
    const args = ['run', '--root', root, '--project', project, '--passWithNoTests', ...reporters, ...chosen];
    const nice = besideProjects.includes(project) ? 19 : 0;
    const end = await runProgram('vitest', args, output, {
      minutes,
      nice,
      env: { [unhandledFileVariable]: unhandled },
    });
    const unhandledErrors = existsSync(unhandled) ? Number(readFileSync(unhandled, 'utf8')) : 0;
    return { end, ends: readReport(report, root), unhandledErrors };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function reporterFile(name: string): string {
  return join(projectRoot, 'scripts', 'testing', name);
}

/** A regular expression for the full names of just these tests. */
function patternOf(tests: readonly string[]): string {
  return `^(${tests.map((test) => test.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`;
}

/** Number of tests in a project, counted without running any. */
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
