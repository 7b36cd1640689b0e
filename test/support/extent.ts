import { describe, test } from 'vitest';

/** True in `npm run matrix`, which plays all there is; `npm test` plays representative ones, to end within an hour. */
export const isMatrix = process.env['NODEFERRY_MATRIX'] === 'yes';

/** So many of them, spread evenly from the first to the last; all of them in the matrix. */
export function someOf<const T>(all: readonly T[], count: number): readonly T[] {
  if (isMatrix || all.length <= count) return all;
  const gap = (all.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => all[Math.round(index * gap)] as T);
}

type Test = Pick<typeof test, 'each'> & ((name: string, play: () => Promise<void>) => void);

/** A test, or a table of tests, that is not there. */
const none = Object.assign(() => undefined, { each: () => () => undefined });

/** A test that only the matrix plays: a variation of what another one shows in every run. */
export const variation = (isMatrix ? test : none) as Test;

/** Tests that only the matrix plays. */
export const variations = (isMatrix ? describe : none) as (name: string, register: () => void) => void;
