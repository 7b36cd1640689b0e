import { horizonMs, type SchedulePolicy, type Weekday, type WindowRule } from './schedule.ts';
import { daysOfWeeks, type Slot, slotPeriod, slotsAround } from './slots.ts';
import type { ZoneRules } from './zone.ts';

/** One set of times of a Temporal Schedule, as its `CalendarSpec` has it: all fields must match. Absent fields match everything. */
export interface TemporalCalendar {
  readonly comment: string;
  readonly year?: number;
  readonly month?: TemporalMonth;
  /** Not readonly, because the SDK's type is not. */
  readonly dayOfMonth?: { readonly start: number; readonly end: number }[];
  readonly dayOfWeek?: TemporalWeekday[];
  readonly hour: number;
  readonly minute: number;
}

/** When a Temporal Schedule fires, as its `ScheduleSpec` has it. */
interface TemporalScheduleSpec {
  readonly timezone: string;
  readonly calendars: TemporalCalendar[];
}

const monthNames = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
const weekdayNames = {
  Mon: 'MONDAY',
  Tue: 'TUESDAY',
  Wed: 'WEDNESDAY',
  Thu: 'THURSDAY',
  Fri: 'FRIDAY',
  Sat: 'SATURDAY',
  Sun: 'SUNDAY',
} as const satisfies Record<Weekday, string>;
type TemporalMonth = (typeof monthNames)[number];
type TemporalWeekday = (typeof weekdayNames)[Weekday];

/** How far ahead openings that the clock skips are written down, ms. A schedule that is older has to be written anew. */
const skippedHorizonMs = 3653 * 86_400_000;

/**
 * The times at which a Temporal Schedule fires, so that what it starts finds every window that opens. It may fire where none opens: freezes
 * are not part of it, and neither is which of the days from the 22nd is the last of its weekday. Temporal fires at no time that the clock
 * skips and, where the clock repeats one, the second time (measured with server 1.31.2). Openings that the clock skips are
 * therefore dates of their own, for ten years from `now` (epoch ms).
 */
export function temporalScheduleSpec(schedule: SchedulePolicy, zone: ZoneRules, now: number): TemporalScheduleSpec {
  const calendars = schedule.windows.map(calendarOf);
  const skipped = slotsAround(schedule, zone, now, now + skippedHorizonMs).flatMap((slot) =>
    zone.toInstants(slot.start).length > 0 ? [] : (dateOfOpening(slot, zone) ?? []),
  );
  // Windows that begin within the same hour open at the same instant.
  const dates = new Map(skipped.map((date) => [JSON.stringify(date), date]));
  return { timezone: schedule.timeZone, calendars: [...calendars, ...dates.values()] };
}

function calendarOf({ days, weeks, startMinute }: WindowRule, window: number): TemporalCalendar {
  return {
    comment: `window ${window + 1}`,
    ...(weeks === undefined ? {} : { dayOfMonth: weeks.map((week) => daysOfWeeks[week]) }),
    dayOfWeek: days.map((day) => weekdayNames[day]),
    hour: Math.floor(startMinute / 60),
    minute: startMinute % 60,
  };
}

/** The opening of a slot whose start the clock skips. Undefined if it skips the whole slot. */
function dateOfOpening(slot: Slot, zone: ZoneRules): TemporalCalendar | undefined {
  const period = slotPeriod(zone, slot);
  if (period === undefined) return undefined;
  const { year, month, day, hour, minute } = zone.toLocal(period.opensAt);
  const name = monthNames[month - 1];
  if (name === undefined) return undefined;
  return {
    comment: 'opening that the clock change moves',
    year,
    month: name,
    dayOfMonth: [{ start: day, end: day }],
    hour,
    minute,
  };
}

/**
 * The length of the longest single window of the next 400 days, ms: for how long after its time an opening that was missed is still worth
 * catching up with.
 */
export function maxWindowMs(schedule: SchedulePolicy, zone: ZoneRules, now: number): number {
  const lengths = slotsAround(schedule, zone, now, now + horizonMs).map((slot) => {
    const period = slotPeriod(zone, slot);
    return period === undefined ? 0 : period.closesAt - period.opensAt;
  });
  return lengths.reduce((longest, length) => Math.max(longest, length), 0);
}
