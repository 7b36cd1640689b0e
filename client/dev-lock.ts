import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { NodeferryError } from '../core/model/problem.ts';

/** A database that no other `dev` uses until it is released. */
export interface DevLock {
  /** Makes the lock count for another process too: the server, which may outlive this one. */
  include(pid: number | undefined): void;
  release(): void;
}

interface Holder {
  readonly pid: number;
  /** When that process started, as the system counts it, because process IDs are reused. */
  readonly began: string | undefined;
}

/**
 * Locks the database for this process: two servers on one SQLite file would take each other's runs. The lock is a file next to it that names the
 * processes. If none of them is alive, the lock is left over and this process takes it.
 * @throws NodeferryError AlreadyRunning, or InvalidArgument when the file cannot be created
 */
export function lockDatabase(database: string): DevLock {
  const path = `${database}.lock`;
  makeFolder(dirname(database), database);
  const holders: Holder[] = [holderOf(process.pid)];
  if (!tryCreate(path, holders)) {
    const living = readHolders(path).find(isAlive);
    if (living !== undefined) throw inUse(database, living);
    rmSync(path, { force: true });
    if (!tryCreate(path, holders)) throw inUse(database, readHolders(path)[0]);
  }
  return {
    include: (pid) => {
      if (pid === undefined) return;
      holders.push(holderOf(pid));
      writeFileSync(path, JSON.stringify(holders));
    },
    release: () => rmSync(path, { force: true }),
  };
}

/** Writes a file unless it exists. */
function tryCreate(path: string, holders: readonly Holder[]): boolean {
  try {
    writeFileSync(path, JSON.stringify(holders), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Creates one folder after another: Node's own recursive mkdir never returns when a parent cannot be created, as under /proc. */
function makeFolder(folder: string, database: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return;
    if (code === 'ENOENT' && dirname(folder) !== folder && !existsSync(dirname(folder))) {
      makeFolder(dirname(folder), database);
      makeFolder(folder, database);
      return;
    }
    throw new NodeferryError(
      {
        code: 'InvalidArgument',
        message: `The database ${database} can't be kept there: ${error instanceof Error ? error.message : String(error)}`,
        hint: 'Name a file in a folder that can be written to, with --database.',
      },
      { cause: error },
    );
  }
}

function readHolders(path: string): readonly Holder[] {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(read) ? read.filter(isHolder) : [];
  } catch {
    return [];
  }
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && 'pid' in value && typeof value.pid === 'number';
}

function holderOf(pid: number): Holder {
  return { pid, began: beganAt(pid) };
}

function isAlive({ pid, began }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user is alive too.
    return codeOf(error) === 'EPERM';
  }
  return began === undefined || beganAt(pid) === began;
}

/** Field 22 of /proc/PID/stat, counted after the name in brackets (proc_pid_stat(5)); undefined on other systems. */
function beganAt(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}

function inUse(database: string, holder: Holder | undefined): NodeferryError {
  const who = holder === undefined ? 'another `nodeferry dev`' : `\`nodeferry dev\`, process ${holder.pid},`;
  return new NodeferryError({
    code: 'AlreadyRunning',
    message: `The database ${database} is in use by ${who} already.`,
    hint: 'Stop that one, or name another file with --database (and another --port and --ui-port).',
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
