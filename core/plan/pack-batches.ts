/** A capacity that nodes which are out together use up: what a Service, a zone or a budget can spare, or places in flight. */
export interface Budget {
  /** How much one batch may use. */
  readonly most: number;
  /** How much each batch uses, by its position. */
  readonly taken: number[];
  /** Position of the first batch that has any left. */
  open: number;
}

/** How much an item uses of a capacity. */
export interface Taking {
  readonly from: Budget;
  /** At least 1, and no more than one batch may use. */
  readonly amount: number;
}

/** A capacity of which nothing is used. */
export function openBudget(most: number): Budget {
  return { most, taken: [], open: 0 };
}

/**
 * Puts each item, in order, into the first batch that has enough left of every capacity that the item uses. The result is the same as filling one
 * batch after another with whatever still fits, without trying every item for every batch.
 */
export function packBatches<T>(
  items: readonly T[],
  takenBy: (item: T) => readonly Taking[],
): readonly (readonly T[])[] {
  const batches: T[][] = [];
  for (const item of items) {
    const takings = takenBy(item);
    const place = findPlace(takings);
    for (const taking of takings) take(taking, place);
    const batch = batches[place];
    if (batch === undefined) batches[place] = [item];
    else batch.push(item);
  }
  return batches;
}

function findPlace(takings: readonly Taking[]): number {
  let place = takings.reduce((latest, { from }) => Math.max(latest, from.open), 0);
  for (let before = -1; before !== place; ) {
    before = place;
    for (const { from, amount } of takings) while ((from.taken[place] ?? 0) + amount > from.most) place += 1;
  }
  return place;
}

function take({ from, amount }: Taking, place: number): void {
  from.taken[place] = (from.taken[place] ?? 0) + amount;
  while ((from.taken[from.open] ?? 0) >= from.most) from.open += 1;
}
