import type { Clock } from '../../ports/clock.ts';

/** Reads something once, and again when what was read is not from after `since` (epoch ms). What failed is read again. */
type RememberedRead<T, A> = (key: string, one: T, since: number) => Promise<A>;

/** Remembers what was read, by its key. Callers at the same moment share one read. */
export function rememberReads<T, A>(clock: Pick<Clock, 'now'>, read: (one: T) => Promise<A>): RememberedRead<T, A> {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<A> }>();
  return async (key, one, since) => {
    const before = known.get(key);
    if (before !== undefined && before.at > since) return await before.answer;
    const entry = { at: clock.now(), answer: read(one) };
    known.set(key, entry);
    try {
      return await entry.answer;
    } catch (error) {
      if (known.get(key) === entry) known.delete(key);
      throw error;
    }
  };
}
