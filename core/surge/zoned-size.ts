/** How many instances each zone has, needs or gets, by the name of the zone. */
export type ZonedSize = Readonly<Record<string, number>>;

/** How many instances there are in all zones. */
export function totalOf(size: ZonedSize): number {
  return Object.values(size).reduce((sum, count) => sum + count, 0);
}

/**
 * Divides `size` instances over zones in the proportion of what they need: each goes to the zone that lacks the most, of several to the first by name.
 * What is beyond all needs goes to the zones with the fewest. More instances never mean fewer in a zone, so a pool can grow in steps.
 */
export function divideByNeed(size: number, needs: ZonedSize): ZonedSize {
  const none = Object.fromEntries(
    Object.keys(needs)
      .toSorted()
      .map((zone) => [zone, 0]),
  );
  return giveOut(size, none, (zone, count) => (needs[zone] ?? 0) - count);
}

/** What each zone has, and so many more in the smallest as make `size`; of several in the first by name. */
export function fillSmallest(size: number, here: ZonedSize): ZonedSize {
  return giveOut(size, here, (_, count) => -count);
}

/** Adds instances to what is here until they are `size`: each to the zone that lacks the most by then, of several to the first by name. */
function giveOut(size: number, here: ZonedSize, lackOf: (zone: string, count: number) => number): ZonedSize {
  const zones = Object.keys(here).toSorted();
  const given = new Map(Object.entries(here));
  const lack = (zone: string) => lackOf(zone, given.get(zone) ?? 0);
  for (let total = totalOf(here); total < size && zones.length > 0; total += 1) {
    const next = zones.reduce((best, zone) => (lack(zone) > lack(best) ? zone : best));
    given.set(next, (given.get(next) ?? 0) + 1);
  }
  return Object.fromEntries(given);
}

/** The same number of instances in each zone, or one more; those that need most get the one more. */
export function spreadEvenly(needs: ZonedSize): ZonedSize {
  const zones = Object.keys(needs).toSorted((a, b) => (needs[b] ?? 0) - (needs[a] ?? 0) || (a < b ? -1 : 1));
  const total = totalOf(needs);
  const least = Math.floor(total / Math.max(1, zones.length));
  const more = total - least * zones.length;
  return Object.fromEntries(zones.map((zone, index) => [zone, least + (index < more ? 1 : 0)]));
}

/** In each zone as many as the zone needs that needs most. */
export function sameInEachZone(needs: ZonedSize): ZonedSize {
  const most = Math.max(0, ...Object.values(needs));
  return Object.fromEntries(Object.keys(needs).map((zone) => [zone, most]));
}
