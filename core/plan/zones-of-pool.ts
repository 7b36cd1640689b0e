/** How many instances the zones of a pool have, and how many new ones they get. */
import type { NodeRef } from '../model/node.ts';
import { liveZones, type PoolFacts } from '../model/pool.ts';
import { countByZone, isLopsided } from '../surge/balance.ts';
import { fillSmallest, totalOf, type ZonedSize } from '../surge/zoned-size.ts';

/** What zones get for which these numbers of instances are requested (`ProviderTraits`). */
export interface ZoneTraits {
  readonly spread: (needs: ZonedSize) => ZonedSize;
  readonly grows: (needs: ZonedSize) => ZonedSize;
}

/**
 * How many of `surge` new nodes each zone needs so that it has as many as now. Undefined where the zones of the old nodes differ by one at most and the
 * cloud gives each zone what it needs.
 */
export function unevenZones(
  nodes: readonly NodeRef[],
  { zones }: PoolFacts,
  surge: number,
  { spread }: ZoneTraits,
): ZonedSize | undefined {
  const needs = fillSmallest(surge, Object.fromEntries(countByZone(nodes, zones)));
  const given = spread(needs);
  const isGiven = Object.entries(needs).every(([zone, count]) => given[zone] === count);
  return isLopsided(nodes, zones) || !isGiven ? needs : undefined;
}

/** How many new nodes the zones will have, with those of an adopted pool. One that exists, or comes in waves, grows. */
export function newZonesOf(
  needs: ZonedSize,
  { adopted, inWaves }: { readonly adopted: PoolFacts | undefined; readonly inWaves: boolean },
  { spread, grows }: ZoneTraits,
): ZonedSize {
  if (adopted === undefined) return inWaves ? grows(needs) : spread(needs);
  const here = liveZones(adopted);
  if (totalOf(here) >= totalOf(needs)) return here;
  const wanted = grows(needs);
  return Object.fromEntries(
    Object.keys({ ...here, ...wanted }).map((zone) => [zone, Math.max(here[zone] ?? 0, wanted[zone] ?? 0)]),
  );
}
