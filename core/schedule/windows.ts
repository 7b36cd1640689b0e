import { freezePeriods, joinFreezes, subtractFrozen } from './freezes.ts';
import type { FreezePeriod, OpenPeriod, SchedulePolicy } from './schedule.ts';
import { slotPeriod, slotsAround } from './slots.ts';
import type { ZoneRules } from './zone.ts';

/** Everything that decides when a pool may be upgraded. */
export interface ScheduleFacts {
  readonly schedule: SchedulePolicy;
  /** Events of the calendars that the worker reads. The freezes of the schedule itself apply without being repeated here. */
  readonly freezes: readonly FreezePeriod[];
  /** The rules of the schedule's time zone. */
  readonly zone: ZoneRules;
}

/**
 * The periods between two instants (epoch ms) in which a pool may be upgraded, ascending and apart from one another: windows that overlap
 * or touch become one period, and no part of a freeze is in any. A period that begins before `from` or ends after `to` is cut there.
 */
export function openPeriods(facts: ScheduleFacts & { readonly from: number; readonly to: number }): OpenPeriod[] {
  const { schedule, zone, from, to } = facts;
  const frozen = joinFreezes(allFreezes(facts));
  const periods = slotsAround(schedule, zone, from, to)
    .flatMap((slot): readonly OpenPeriod[] => {
      const period = slotPeriod(zone, slot);
      return period === undefined ? [] : subtractFrozen({ ...period, windows: [slot.window] }, frozen);
    })
    .map((period) => ({
      ...period,
      opensAt: Math.max(period.opensAt, from),
      closesAt: Math.min(period.closesAt, to),
    }))
    .filter(({ opensAt, closesAt }) => opensAt < closesAt);
  return join(periods);
}

/** The freezes of the schedule and of its calendars. */
export function allFreezes({ schedule, freezes, zone }: ScheduleFacts): readonly FreezePeriod[] {
  return [...freezePeriods(schedule.freezes, zone), ...freezes];
}

/** Joins periods that overlap or touch. */
function join(periods: readonly OpenPeriod[]): OpenPeriod[] {
  const joined: OpenPeriod[] = [];
  for (const period of periods.toSorted((a, b) => a.opensAt - b.opensAt)) {
    const before = joined.at(-1);
    if (before === undefined || before.closesAt < period.opensAt) {
      joined.push(period);
      continue;
    }
    const windows = [...new Set([...before.windows, ...period.windows])].toSorted((a, b) => a - b);
    joined[joined.length - 1] = { ...before, closesAt: Math.max(before.closesAt, period.closesAt), windows };
  }
  return joined;
}
