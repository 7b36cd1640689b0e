/** Longer texts are not compared: no name in a policy is that long. */
const maxNameLength = 64;

/** The candidate that the user most likely meant. Undefined when none is similar enough. */
export function suggest(found: string, candidates: readonly string[]): string | undefined {
  if (found.length > maxNameLength) return undefined;
  const scored = candidates
    .map((candidate) => ({ candidate, distance: editDistance(found.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = scored[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(found.length / 3)) ? best.candidate : undefined;
}

/** The number of characters to insert, delete, change, or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? changed) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
