import type { Freeze, FreezePeriod } from './schedule.ts';
import { firstInstantAtOrAfter, lastInstantAt, type ZoneRules } from './zone.ts';

/** The real time of freezes. Where the clock repeats an end of a freeze, the freeze is the longer one; one that the clock skips has none. */
export function freezePeriods(freezes: readonly Freeze[], zone: ZoneRules): readonly FreezePeriod[] {
  return freezes
    .map(({ name, from, to }) => ({ name, from: firstInstantAtOrAfter(zone, from), to: lastInstantAt(zone, to) }))
    .filter(({ from, to }) => from < to);
}

/** A freeze between two instants in local time of the schedule. Part of a second is added, so that the freeze does not become shorter. */
export function freezeOf({ name, from, to }: FreezePeriod, zone: ZoneRules): Freeze {
  return { name, from: zone.toLocal(from), to: zone.toLocal(Math.ceil(to / 1000) * 1000) };
}

/** What is left of a period when the freezes are taken from it, in order. */
export function subtractFreezes<P extends { readonly opensAt: number; readonly closesAt: number }>(
  period: P,
  freezes: readonly FreezePeriod[],
): readonly P[] {
  let left = [period];
  for (const { from, to } of freezes) {
    if (from >= period.closesAt || to <= period.opensAt) continue;
    left = left.flatMap((part) =>
      [
        { ...part, closesAt: Math.min(part.closesAt, from) },
        { ...part, opensAt: Math.max(part.opensAt, to) },
      ].filter(({ opensAt, closesAt }) => opensAt < closesAt),
    );
  }
  return left;
}
