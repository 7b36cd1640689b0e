/**
 * Child processes of the lab. All of them end with the process that started them, even when that is killed with SIGKILL: `setpriv --pdeathsig`
 * (util-linux) asks the kernel for it.
 */
import { type ChildProcess, type ExecFileException, execFile, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/** Default time limit of a command. */
const TIMEOUT_MS = 30_000;

/** Exit code of a command that was killed, as shells report it: 128 plus SIGKILL. */
const KILLED = 137;

/** The result of a command that ran to its end. */
interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings of a command that runs to its end. */
interface RunOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which the command is killed; default 30,000. */
  readonly timeoutMs?: number;
}

/**
 * Runs a command to its end and resolves whatever its exit code is. The codes are those of a shell: 127 when it can't be started, 137 when it was
 * killed.
 */
export function attempt(command: string, args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      [...args],
      {
        timeout: options.timeoutMs ?? TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: 64 << 20,
        env: options.env ?? process.env,
      },
      (error, stdout, stderr) => {
        resolve({ code: exitCode(error), stdout, stderr: stderr === '' && error !== null ? error.message : stderr });
      },
    );
    if (child.stdin === null) return;
    // A command that ends without reading all of its input is judged by its exit code, not by EPIPE.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

function exitCode(error: ExecFileException | null): number {
  if (error === null) return 0;
  if (typeof error.code === 'number') return error.code;
  return typeof error.signal === 'string' ? KILLED : 127;
}

/** Runs a command to its end and resolves with its standard output; rejects unless it exits with 0. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await attempt(command, args, options);
  if (result.code === 0) return result.stdout;
  const line = [command, ...args].join(' ');
  const limit = `${(options.timeoutMs ?? TIMEOUT_MS) / 1000} s`;
  const end = result.code === KILLED ? `was killed (its limit is ${limit})` : `exited with ${result.code}`;
  throw new Error(`${line.slice(0, 300)} ${end}: ${result.stderr.trim().slice(0, 2000)}`);
}

/** Settings of a long-running process. */
export interface StartOptions {
  /** File to which both outputs are appended; without it, `stdio` is used. */
  readonly log?: string;
  readonly stdio?: StdioOptions;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Network namespace to run in; the caller's when absent. */
  readonly namespace?: string;
  /** Added to the nice value. It only counts within a session when the kernel shares the processors among sessions (see `urgent`). */
  readonly nice?: number;
  /** For processes that stand for a separate host, a load balancer or the clients outside: other load on this machine must not delay them. */
  readonly urgent?: boolean;
}

/** Starts a process in its own session, so that Ctrl-C in a terminal reaches the lab first, which then stops its children in order. */
export function start(command: string, args: readonly string[], options: StartOptions = {}): ChildProcess {
  const line = commandLine(command, args, options);
  const log = options.log === undefined ? undefined : openSync(options.log, 'a');
  try {
    return spawn(line[0], line.slice(1), {
      detached: true,
      stdio: log === undefined ? (options.stdio ?? 'ignore') : ['ignore', log, log],
      env: options.env ?? process.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/** The full command line with the wrappers that tie it to its parent, its namespace and its priority. */
export function commandLine(
  command: string,
  args: readonly string[],
  options: Pick<StartOptions, 'namespace' | 'nice' | 'urgent'> = {},
): [string, ...string[]] {
  const nice = options.nice === undefined ? [] : ['nice', '-n', String(options.nice)];
  const namespace = options.namespace === undefined ? [] : ['nsenter', `--net=/run/netns/${options.namespace}`];
  const urgent = options.urgent === true ? asUrgent : [];
  return ['setpriv', '--pdeathsig', 'KILL', ...nice, ...urgent, ...namespace, command, ...args];
}

/**
 * Gives a process about the share that all pods have together (cluster/cgroups.ts). When the kernel shares the processors among sessions, and each
 * process of the lab is one, the nice value of a session is what counts (sched(7), "The autogroup feature").
 */
const asUrgent = ['sh', '-c', 'echo "$0" 2>/dev/null >/proc/self/autogroup; exec nice -n "$0" "$@"', '-15'];

/** Whether the process has neither exited nor failed to start. */
export function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Resolves when the process has ended, immediately if it already has. */
export function ended(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

/** Asks a process to end and kills it when it has not after `graceMs`. */
export async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  if (!isRunning(child)) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  try {
    await ended(child);
  } finally {
    clearTimeout(timer);
  }
}

/** Thrown by a check of `until` when it is pointless to wait any longer. */
export class StopWaiting extends Error {
  override readonly name = 'StopWaiting';
}

/** How long and how often `until` checks. */
interface UntilOptions {
  readonly what: string;
  readonly timeoutMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `check` until it returns something other than undefined and resolves with that. Rejects at the deadline with the last error that `check`
 * threw, and at once when it threw `StopWaiting` or the signal is aborted.
 */
export async function until<T>(check: () => Promise<T | undefined>, options: UntilOptions): Promise<T> {
  const deadline = Date.now() + options.timeoutMs;
  let last: unknown;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      const answer = await check();
      if (answer !== undefined) return answer;
    } catch (error) {
      if (error instanceof StopWaiting) throw error;
      last = error;
    }
    if (Date.now() >= deadline) {
      const detail = last === undefined ? '' : `: ${last instanceof Error ? last.message : JSON.stringify(last)}`;
      throw new Error(`${options.what}: not within ${options.timeoutMs / 1000} s${detail}`);
    }
    await new Promise((resolve) => setTimeout(resolve, options.everyMs ?? 100));
  }
}
