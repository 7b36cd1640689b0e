import type { Clock } from '../ports/clock.ts';

/** A queue for locks that only one step of a worker may hold at a time: first come, first served. */
export interface LockQueue {
  /**
   * Waits for the locks of all these names, in this order, and returns what leaves them; undefined when that takes longer than `patienceMs`.
   * All callers must use the same order of names.
   * @throws the signal's reason when it is aborted first
   */
  enter(names: readonly string[], patienceMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Creates an empty queue. */
export function createLockQueue(clock: Clock): LockQueue {
  /** By name: the step that is in, followed by those that wait for it. */
  const queues = new Map<string, AbortController[]>();

  function leave(name: string, one: AbortController): void {
    const left = (queues.get(name) ?? []).filter((other) => other !== one);
    if (left.length === 0) queues.delete(name);
    else queues.set(name, left);
    left[0]?.abort();
  }

  /** Whether it has come to the front. */
  async function queueFor(name: string, one: AbortController, until: number, signal: AbortSignal): Promise<boolean> {
    const queue = queues.get(name) ?? [];
    queues.set(name, [...queue, one]);
    if (queue.length === 0) return true;
    await clock.sleep(Math.max(1, until - clock.now()), AbortSignal.any([one.signal, signal]));
    return one.signal.aborted;
  }

  return {
    enter: async (names, patienceMs, signal) => {
      const until = clock.now() + patienceMs;
      const taken: { readonly name: string; readonly one: AbortController }[] = [];
      const end = () => {
        for (const { name, one } of taken) leave(name, one);
      };
      try {
        for (const name of names) {
          const one = new AbortController();
          taken.push({ name, one });
          const hasCome = await queueFor(name, one, until, signal);
          signal.throwIfAborted();
          if (hasCome) continue;
          end();
          return undefined;
        }
        return end;
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
