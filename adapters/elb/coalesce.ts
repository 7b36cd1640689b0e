import type { Clock } from '../../ports/clock.ts';
import type { NodeAttempt } from './rate-limiter.ts';

/** How fresh a look must be, and whether it may wait for its turn. */
interface ReadOptions {
  /** A look that was begun at this time (epoch ms) or later will do. Without, it begins after the call. */
  readonly since?: number;
  /** It goes before those of others. */
  readonly first?: boolean;
}

/**
 * Shares looks at the same thing among callers without ever giving anybody one that is older than he allows: a caller joins a request
 * only while that waits for its turn. One that is under way was sent before the caller asked, so it is not fresh enough.
 */
export function coalesce<T>(
  clock: Pick<Clock, 'now'>,
  queue: () => NodeAttempt,
  observation: (key: string) => Promise<T>,
): (key: string, options?: ReadOptions) => Promise<T> {
  const waiting = new Map<string, { readonly turn: NodeAttempt; readonly result: Promise<T> }>();
  const last = new Map<string, { readonly at: number; readonly seen: T }>();

  async function pollInOrder(key: string, turn: NodeAttempt): Promise<T> {
    try {
      await turn.come;
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
      const turn = queue();
      joined = { turn, result: pollInOrder(key, turn) };
      waiting.set(key, joined);
    }
    if (first) joined.turn.hurry();
    return await joined.result;
  };
}
