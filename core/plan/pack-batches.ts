/** Something that nodes which are out together take from: what a Service, a zone or a budget can spare, or places on the way out. */
export interface Supply {
  /** As much as one window may take. */
  readonly most: number;
  /** What each window takes, by its place. */
  readonly taken: number[];
  /** Place of the first window that has any left. */
  open: number;
}

/** How much somebody takes from a supply. */
export interface Taking {
  readonly from: Supply;
  /** At least 1, and no more than one window may take. */
  readonly amount: number;
}

/** A supply that nobody has taken from. */
export function openBudget(most: number): Supply {
  return { most, taken: [], open: 0 };
}

/**
 * Puts each item, in order, into the first window that has enough for it of all that it takes: the same as filling one window after
 * another with whoever still fits, without asking everybody for every window.
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
