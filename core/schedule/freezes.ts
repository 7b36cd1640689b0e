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

/** The frozen time: freezes without their names, joined where they overlap or touch, ascending. */
type FrozenTime = readonly Pick<FreezePeriod, 'from' | 'to'>[];

/** Joins freezes, so that many of them, such as the events of large calendars, are searched quickly. */
export function joinFreezes(freezes: readonly FreezePeriod[]): FrozenTime {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of freezes.toSorted((a, b) => a.from - b.from)) {
    const before = joined.at(-1);
    if (before === undefined || before.to < from) joined.push({ from, to });
    else before.to = Math.max(before.to, to);
  }
  return joined;
}

/** What is left of a period when the frozen time is taken from it, in order. */
export function subtractFrozen<P extends { readonly opensAt: number; readonly closesAt: number }>(
  period: P,
  frozen: FrozenTime,
): readonly P[] {
  const left: P[] = [];
  let { opensAt } = period;
  for (let index = firstEndingAfter(frozen, opensAt); index < frozen.length; index += 1) {
    const { from, to } = frozen[index] ?? { from: Infinity, to: Infinity };
    if (from >= period.closesAt) break;
    if (from > opensAt) left.push({ ...period, opensAt, closesAt: from });
    opensAt = to;
  }
  if (opensAt < period.closesAt) left.push({ ...period, opensAt });
  return left;
}

/** Position of the first part that ends after an instant, by bisection. */
function firstEndingAfter(frozen: FrozenTime, instant: number): number {
  let [low, high] = [0, frozen.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((frozen[middle]?.to ?? Infinity) > instant) high = middle;
    else low = middle + 1;
  }
  return low;
}
