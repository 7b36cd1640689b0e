/** True in `npm run matrix`, which plays all there is; `npm test` plays representative ones, to be done within three quarters of an hour. */
export const isMatrix = process.env['NODEFERRY_MATRIX'] === 'yes';

/** So many of them, spread evenly from the first to the last; all of them in the matrix. */
export function someOf<T>(all: readonly T[], count: number): readonly T[] {
  if (isMatrix || all.length <= count) return all;
  const gap = (all.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => all[Math.round(index * gap)] as T);
}
