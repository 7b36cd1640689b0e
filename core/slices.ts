/**
 * Work that stops now and then, so that whoever does it can see to other things in between: a worker heartbeats for hundreds of steps on one
 * thread.
 */
export type Slices<T> = Generator<undefined, T, undefined>;

/** Does such work without a break. */
export function doAtOnce<T>(work: Slices<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
