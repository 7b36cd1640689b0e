/** How many calls to the API server are made at the same time for a list of objects: few enough for its fairness queues, and each takes a moment. */
const atATime = 8;

/**
 * Does something for each of these, several at a time. When one fails, those that have begun end first and no other begins: nothing happens any more
 * once the error is thrown.
 */
export async function severalAtATime<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += atATime) {
    const results = await Promise.allSettled(items.slice(from, from + atATime).map(act));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
