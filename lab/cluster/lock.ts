/**
 * One process per lab. The lock is an abstract unix socket (unix(7)): the kernel gives it to one process at a time and frees it however that process
 * ends, so a stale lock cannot exist.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { LAB_NAME } from '../which.ts';

const ADDRESS = `\0${LAB_NAME}`;

/** The process that holds the lock. */
interface LockHolder {
  readonly pid: number;
  readonly command: string;
  /** ISO 8601. */
  readonly since: string;
}

/** The lab is in use by another process. */
export class LabInUseError extends Error {
  readonly holder: LockHolder | undefined;

  constructor(holder: LockHolder | undefined) {
    const who =
      holder === undefined ? 'another process' : `process ${holder.pid} (${holder.command}) since ${holder.since}`;
    super(`the lab is in use by ${who}; stop it with \`npm run lab -- down\` first`);
    this.name = 'LabInUseError';
    this.holder = holder;
  }
}

/** An acquired lock. */
interface LabLock {
  release(): Promise<void>;
}

/**
 * Acquires the lock for this process; throws `LabInUseError` when another process has it. @param status what `askLab` returns; called for each
 * question.
 */
export async function takeLock(status: () => unknown): Promise<LabLock> {
  const holder: LockHolder = {
    pid: process.pid,
    command: process.argv.slice(1).join(' '),
    since: new Date().toISOString(),
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(JSON.stringify({ holder, status: status() }));
  });
  try {
    await listen(server);
  } catch (error) {
    if (isErrno(error, 'EADDRINUSE')) throw new LabInUseError((await askLab())?.holder);
    throw error;
  }
  // The lock alone must not keep a process alive.
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** The status that the holder of the lock reports; undefined when no lab is running. `status` is as the holder returned it. */
export async function askLab(): Promise<{ readonly holder: LockHolder; readonly status: unknown } | undefined> {
  const socket = await open();
  if (socket === undefined) return undefined;
  const answer: unknown = JSON.parse(await text(socket));
  return isAnswer(answer) ? answer : undefined;
}

function isAnswer(value: unknown): value is { holder: LockHolder; status: unknown } {
  return typeof value === 'object' && value !== null && 'holder' in value && 'status' in value;
}

function open(): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(ADDRESS);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => (isErrno(error, 'ECONNREFUSED') ? resolve(undefined) : reject(error)));
  });
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(ADDRESS, () => resolve());
  });
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
