/** How long the other read may still take to fail too once one has failed, ms. */
const secondWordMs = 3_000;

/**
 * Waits for two reads that go on side by side.
 * @throws AggregateError with the failure of one, and of the other if that fails within `waitMs` too: whoever mends the first shall not
 * have to come back to learn of the second
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
