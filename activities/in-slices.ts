import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Slices } from '../core/slices.ts';
import { throwIfCancelled } from './polling.ts';

/** Does work slice by slice; heartbeats and the other steps of the worker run in between. */
export async function inSlices<T>(work: Slices<T>): Promise<T> {
  for (;;) {
    throwIfCancelled();
    const { done, value } = work.next();
    if (done === true) return value;
    await nextTurn();
  }
}
