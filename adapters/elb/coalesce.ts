import type { Clock } from '../../ports/clock.ts';
import type { Ticket } from './rate-limiter.ts';

/** How fresh an observation must be, and its priority in the queue. */
interface ReadOptions {
  /** An observation that started at this time (epoch ms) or later is fresh enough. Without it, the observation starts after the call. */
  readonly since?: number;
  /** Goes before the reads of other callers. */
  readonly first?: boolean;
}

/**
 * Shares observations of the same thing among callers, and never returns one that is older than its caller allows. A caller joins a request only
 * while that request waits in the queue. A request in progress was sent before the caller asked, so it is not fresh enough.
 */
export function coalesce<T>(
  clock: Pick<Clock, 'now'>,
  queue: () => Ticket,
  observation: (key: string) => Promise<T>,
): (key: string, options?: ReadOptions) => Promise<T> {
  const waiting = new Map<string, { readonly ticket: Ticket; readonly result: Promise<T> }>();
  const last = new Map<string, { readonly at: number; readonly seen: T }>();

  async function pollInOrder(key: string, ticket: Ticket): Promise<T> {
    try {
      await ticket.come;
    } finally {
      waiting.delete(key);
    }
    const at = clock.now();
    last.delete(key);
    const seen = await observation(key);
    if ((last.get(key)?.at ?? at) <= at) last.set(key, { at, seen });
    return seen;
  }

  return async (key, { since, first = false } = {}) => {
    const known = last.get(key);
    if (since !== undefined && known !== undefined && known.at >= since) return known.seen;
    let joined = waiting.get(key);
    if (joined === undefined) {
      const ticket = queue();
      joined = { ticket, result: pollInOrder(key, ticket) };
      waiting.set(key, joined);
    }
    if (first) joined.ticket.hurry();
    return await joined.result;
  };
}
