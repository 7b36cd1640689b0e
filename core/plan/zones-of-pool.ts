/** How many instances the zones of a pool have, and how many new ones they get. */
import type { NodeRef } from '../model/node.ts';
import { liveZones, type PoolFacts } from '../model/pool.ts';
import { countByZone, isLopsided } from '../surge/balance.ts';
import { divideByNeed, totalOf, type ZonedSize } from '../surge/zoned-size.ts';

/**
 * How many of `surge` new nodes each zone needs so that it has as many as now. Undefined where the zones of the old nodes differ by one at most: every
 * cloud then gives each zone what it needs.
 */
export function unevenZones(nodes: readonly NodeRef[], { zones }: PoolFacts, surge: number): ZonedSize | undefined {
  if (!isLopsided(nodes, zones)) return undefined;
  return divideByNeed(surge, Object.fromEntries(countByZone(nodes, zones)));
}

/** How many new nodes the zones will have, with those of an adopted pool. */
export function newZonesOf(
  needs: ZonedSize,
  adopted: PoolFacts | undefined,
  { spread }: { readonly spread: (needs: ZonedSize) => ZonedSize },
): ZonedSize {
  if (adopted === undefined) return spread(needs);
  const here = liveZones(adopted);
  if (totalOf(here) >= totalOf(needs)) return here;
  const wanted = spread(needs);
  return Object.fromEntries(
    Object.keys({ ...here, ...wanted }).map((zone) => [zone, Math.max(here[zone] ?? 0, wanted[zone] ?? 0)]),
  );
}
