/** When one read has failed: how long the other may still take to fail too, ms. */
const secondWordMs = 3_000;

/**
 * Waits for two reads that run in parallel.
 * @throws AggregateError with the failure of one, and of the other if that fails within `waitMs` too, so that the caller learns about both at
 * once
 */
export async function readBoth<A, B>(one: Promise<A>, other: Promise<B>, waitMs = secondWordMs): Promise<[A, B]> {
  try {
    return await Promise.all([one, other]);
  } catch (first) {
    const failures = new Set([first]);
    const collect = (read: Promise<unknown>) => read.catch((error: unknown) => failures.add(error));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, waitMs);
    });
    await Promise.race([Promise.all([collect(one), collect(other)]), patience]);
    clearTimeout(timer);
    throw new AggregateError([...failures]);
  }
}
