import { type SchedulePolicy, type WeekOfMonth, type WindowRule, weekdays } from './schedule.ts';
import {
  firstInstantAtOrAfter,
  type LocalTime,
  lastInstantAt,
  localTimeOf,
  wallClockMs,
  type ZoneRules,
} from './zone.ts';

const dayMs = 86_400_000;

/** One window on one day, as wall clocks show it. */
export interface Slot {
  /** Position of its rule in `SchedulePolicy.windows`. */
  readonly window: number;
  readonly start: LocalTime;
  /** Not part of the window itself. */
  readonly end: LocalTime;
}

/** A slot in real time: open from `opensAt` until just before `closesAt`, epoch ms. */
export interface SlotPeriod {
  readonly opensAt: number;
  readonly closesAt: number;
}

/** All slots that can be open between two instants, and a few before and after them. Slots of earlier days come first. */
export function slotsAround({ windows }: SchedulePolicy, zone: ZoneRules, from: number, to: number): readonly Slot[] {
  // A slot of the day before may still be open, and at a skipped day the calendar jumps by two.
  const first = Math.floor(wallClockMs(zone.toLocal(from)) / dayMs) - 2;
  const last = Math.floor(wallClockMs(zone.toLocal(to)) / dayMs) + 1;
  const slots: Slot[] = [];
  for (let day = first; day <= last; day += 1) {
    for (const [window, rule] of windows.entries()) {
      if (!opensOn(rule, day)) continue;
      const start = localTimeOf(day * dayMs + rule.startMinute * 60_000);
      const end = localTimeOf(day * dayMs + rule.endMinute * 60_000);
      slots.push({ window, start, end });
    }
  }
  return slots;
}

/** Whether a window opens on a day, counted from 1970-01-01, a Thursday. */
function opensOn({ days, weeks }: WindowRule, day: number): boolean {
  const weekday = weekdays[(((day + 3) % 7) + 7) % 7];
  if (weekday === undefined || !days.includes(weekday)) return false;
  return weeks === undefined || weeks.some((week) => isInWeek(localTimeOf(day * dayMs), week));
}

function isInWeek({ year, month, day }: LocalTime, week: WeekOfMonth): boolean {
  if (week !== 'last') return daysOfWeeks[week].start <= day && day <= daysOfWeeks[week].end;
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day > daysInMonth - 7;
}

/** Days of the month on which the occurrences of a weekday fall. The last may be on any from the 22nd; which, depends on the month. */
export const daysOfWeeks: Readonly<Record<WeekOfMonth, { readonly start: number; readonly end: number }>> = {
  first: { start: 1, end: 7 },
  second: { start: 8, end: 14 },
  third: { start: 15, end: 21 },
  fourth: { start: 22, end: 28 },
  last: { start: 22, end: 31 },
};

/**
 * The real time of a slot. A start that the clock repeats is the later one, when a Temporal Schedule fires; an end that it repeats is the
 * earlier one. So no instant is inside at which the clock reads a time outside. Where that would leave nothing, the end is the later one.
 * A start or end that the clock skips is the instant of the change. Undefined when the clock skips the whole slot.
 */
export function slotPeriod(zone: ZoneRules, { start, end }: Slot): SlotPeriod | undefined {
  const opensAt = lastInstantAt(zone, start);
  const earlier = firstInstantAtOrAfter(zone, end);
  const closesAt = earlier > opensAt ? earlier : lastInstantAt(zone, end);
  return closesAt > opensAt ? { opensAt, closesAt } : undefined;
}
