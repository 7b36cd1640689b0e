/** How many instances each zone of a group has; zones without any included. */
export function countByZone(
  instances: readonly { readonly zone: string }[],
  zones: readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map(zones.map((zone) => [zone, 0]));
  for (const { zone } of instances) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  return counts;
}

/**
 * Whether a cloud that keeps the zones of a group balanced would move an instance: one zone has two more than another (Amazon EC2 Auto
 * Scaling user guide, "Rebalancing activities": it launches in the smaller zone, then terminates in the larger, whatever that serves).
 */
export function isLopsided(instances: readonly { readonly zone: string }[], zones: readonly string[]): boolean {
  const counts = [...countByZone(instances, zones).values()];
  return counts.length > 1 && Math.max(...counts) - Math.min(...counts) > 1;
}
