/** How many questions Temporal is asked at the same time. */
const atOnce = 8;

/** Asks about each item, some of them at the same time. The answers are in the order of the items. */
export async function askInBatches<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  for (let first = 0; first < items.length; first += atOnce)
    answers.push(...(await Promise.all(items.slice(first, first + atOnce).map(ask))));
  return answers;
}
