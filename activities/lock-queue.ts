import type { Clock } from '../ports/clock.ts';

/** Turns at things that only one step of a worker may do at a time: whoever asks first goes first. */
export interface LockQueue {
  /**
   * Waits for the turn at all of these names, in this order, and answers what ends it; undefined when it has not come within `patienceMs`.
   * Names must come in the same order from everybody.
   * @throws the signal's reason when it is aborted before
   */
  take(names: readonly string[], patienceMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Makes turns that nobody has taken. */
export function createLockQueue(clock: Clock): LockQueue {
  /** Who has each turn, and who waits for it behind him. */
  const queues = new Map<string, AbortController[]>();

  function leave(name: string, one: AbortController): void {
    const left = (queues.get(name) ?? []).filter((other) => other !== one);
    if (left.length === 0) queues.delete(name);
    else queues.set(name, left);
    left[0]?.abort();
  }

  /** Answers whether the turn has come. */
  async function queueFor(name: string, one: AbortController, until: number, signal: AbortSignal): Promise<boolean> {
    const queue = queues.get(name) ?? [];
    queues.set(name, [...queue, one]);
    if (queue.length === 0) return true;
    await clock.sleep(Math.max(1, until - clock.now()), AbortSignal.any([one.signal, signal]));
    return one.signal.aborted;
  }

  return {
    take: async (names, patienceMs, signal) => {
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
