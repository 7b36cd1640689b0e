import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const withinMs = 60_000;

/**
 * Stops a process without ending it, and waits until all its threads stand still: the signal stops them only once the first of them gets
 * processor time, and on a busy machine the others go on answering until then (Linux, kernel/signal.c, do_signal_stop).
 */
export async function freeze(process: ChildProcess): Promise<void> {
  process.kill('SIGSTOP');
  const until = Date.now() + withinMs;
  while (!stateOfThreads(process.pid).every((state) => state === 'T')) {
    if (Date.now() > until) throw new Error(`process ${process.pid} does not stand still`);
    await delay(5);
  }
}

/** Linux' letters for what the threads of a process do, e.g. `R` for one that runs and `T` for one that is stopped. */
function stateOfThreads(pid: number | undefined): readonly (string | undefined)[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).flatMap((task) => {
    const status = readUnlessGone(`${tasks}/${task}/status`);
    return status === undefined ? [] : [/^State:\t(.)/m.exec(status)?.[1]];
  });
}

/** A thread may end between two observations. */
function readUnlessGone(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
