/** Labels, or a selector whose every pair must match. */
export type Labels = Readonly<Record<string, string>>;

/** True when the labels have every pair of the selector. An empty selector matches nothing. */
export function matches(selector: Labels, labels: Labels): boolean {
  let pairs = 0;
  for (const key in selector) {
    if (labels[key] !== selector[key]) return false;
    pairs += 1;
  }
  return pairs > 0;
}

/**
 * Finds the labelled items that a selector matches, in their order. It only checks the items that have the rarest pair of the selector, so
 * that a Service finds its ten pods among fifty thousand without checking the others.
 */
export function indexByLabels<T extends { readonly labels: Labels }>(
  items: readonly T[],
): (selector: Labels) => readonly T[] {
  const byKey = new Map<string, ReadonlyMap<string | undefined, readonly T[]>>();
  const having = (key: string, value: string) => {
    const known = byKey.get(key) ?? Map.groupBy(items, ({ labels }) => labels[key]);
    byKey.set(key, known);
    return known.get(value) ?? [];
  };
  return (selector) => {
    let fewest: readonly T[] | undefined;
    for (const [key, value] of Object.entries(selector)) {
      const found = having(key, value);
      if (fewest === undefined || found.length < fewest.length) fewest = found;
    }
    return (fewest ?? []).filter(({ labels }) => matches(selector, labels));
  };
}

/** Finds the items whose selector matches given labels, in no particular order. Each item is indexed by the rarest pair of its selector. */
export function indexBySelector<T extends { readonly selector: Labels }>(
  items: readonly T[],
): (labels: Labels) => readonly T[] {
  const uses = new Map<string, number>();
  for (const { selector } of items) {
    for (const pair of pairsOf(selector)) uses.set(pair.text, (uses.get(pair.text) ?? 0) + 1);
  }
  const byRarestKey = new Map<string, Map<string, T[]>>();
  for (const item of items) {
    const pairs = pairsOf(item.selector).toSorted((a, b) => (uses.get(a.text) ?? 0) - (uses.get(b.text) ?? 0));
    const [rarest] = pairs;
    if (rarest === undefined) continue;
    const byValue = byRarestKey.get(rarest.key) ?? new Map<string, T[]>();
    byRarestKey.set(rarest.key, byValue);
    byValue.set(rarest.value, [...(byValue.get(rarest.value) ?? []), item]);
  }
  return (labels) => {
    const found: T[] = [];
    for (const [key, byValue] of byRarestKey) {
      const value = labels[key];
      if (value === undefined) continue;
      for (const item of byValue.get(value) ?? []) if (matches(item.selector, labels)) found.push(item);
    }
    return found;
  };
}

function pairsOf(selector: Labels): readonly { readonly key: string; readonly value: string; readonly text: string }[] {
  return Object.entries(selector).map(([key, value]) => ({ key, value, text: `${key}=${value}` }));
}
