import type { Clock } from '../../ports/clock.ts';
import type { Ticket } from './rate-limiter.ts';

/** How fresh an observation must be, and its priority in the queue. */
interface ReadOptions {
  /** An observation that started at this time (epoch ms) or later is fresh enough. Without it, the observation starts after the call. */
  readonly since?: number;
  /** Goes before the reads of other callers. */
  readonly first?: boolean;
}

/** An observation that waits in the queue. */
interface Waiting<T> {
  readonly ticket: Ticket;
  readonly result: Promise<T>;
  /** Somebody who waits for it is in a hurry. */
  first: boolean;
}

/**
 * Shares observations of the same thing among callers, and never returns one that is older than its caller allows. A caller joins a request only
 * while that request waits in the queue. A request in progress was sent before the caller asked, so it is not fresh enough. The ticket allows the
 * first call of an observation; one that makes more calls has to queue for them, with the priority that it is told.
 */
export function coalesce<S, T>(
  clock: Pick<Clock, 'now'>,
  queue: () => Ticket,
  observation: (subject: S, first: boolean) => Promise<T>,
  keyOf: (subject: S) => string = String,
): (subject: S, options?: ReadOptions) => Promise<T> {
  const waiting = new Map<string, Waiting<T>>();
  const last = new Map<string, { readonly at: number; readonly seen: T }>();

  async function pollInOrder(subject: S, ticket: Ticket): Promise<T> {
    const key = keyOf(subject);
    let first = false;
    try {
      await ticket.come;
    } finally {
      first = waiting.get(key)?.first ?? false;
      waiting.delete(key);
    }
    const at = clock.now();
    last.delete(key);
    const seen = await observation(subject, first);
    if ((last.get(key)?.at ?? at) <= at) last.set(key, { at, seen });
    return seen;
  }

  return async (subject, { since, first = false } = {}) => {
    const key = keyOf(subject);
    const known = last.get(key);
    if (since !== undefined && known !== undefined && known.at >= since) return known.seen;
    let joined = waiting.get(key);
    if (joined === undefined) {
      const ticket = queue();
      joined = { ticket, result: pollInOrder(subject, ticket), first: false };
      waiting.set(key, joined);
    }
    if (first) {
      joined.first = true;
      joined.ticket.hurry();
    }
    return await joined.result;
  };
}
