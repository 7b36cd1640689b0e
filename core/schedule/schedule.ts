import type { LocalTime } from './zone.ts';

/**
 * When a pool may be upgraded: the part of a policy that is called `schedule`, after parsing. Plain data. Nothing in it depends on a clock
 * or on the rules of a time zone.
 */
export interface SchedulePolicy {
  /** IANA name of the time zone in which all local times of the schedule are read, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
  /** At least one. A pool may be upgraded while any of them is open. */
  readonly windows: readonly WindowRule[];
  /** Periods in which no window is open. Events of calendar files are among them. */
  readonly freezes: readonly Freeze[];
  /** Calendars whose events are further freezes. */
  readonly calendars: readonly CalendarSource[];
}

/** Days of the week, from Monday as in ISO 8601. */
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** A day of the week. */
export type Weekday = (typeof weekdays)[number];

/** Occurrences of a weekday in its month. `last` is the fourth in some months and the fifth in others. */
export const weeksOfMonth = ['first', 'second', 'third', 'fourth', 'last'] as const;

/** Which occurrence of a weekday in its month. */
export type WeekOfMonth = (typeof weeksOfMonth)[number];

/** A window that recurs. */
export interface WindowRule {
  /** Days on which the window opens, from Monday on. All seven when the policy names none. */
  readonly days: readonly Weekday[];
  /** Only on these occurrences of the weekday in its month. Absent: on all of them. */
  readonly weeks?: readonly WeekOfMonth[];
  /** Local time at which the window opens, in minutes after midnight, 0 to 1,439. */
  readonly startMinute: number;
  /**
   * Local time at which it closes, in minutes after the midnight at which the day of its opening begins: after `startMinute`, and at most a
   * day later. 1,440 is the end of that day, and 1,680 is 04:00 of the next.
   */
  readonly endMinute: number;
}

/** A period in which no window is open, in local time of the schedule's zone. */
export interface Freeze {
  /** Name that the status shows as the reason. Events of a calendar file carry its name too: `Black Friday (freezes.ics)`. */
  readonly name: string;
  readonly from: LocalTime;
  /** Not part of the freeze itself. */
  readonly to: LocalTime;
}

/** An iCalendar: a file that the command line reads, by its path relative to the policy, or an address that the worker reads. */
export type CalendarSource = { readonly file: string } | { readonly url: string };

/** A freeze between two instants, epoch ms. `to` is not part of it. */
export interface FreezePeriod {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** A period in which a pool may be upgraded: from `opensAt` until just before `closesAt`, epoch ms. */
export interface OpenPeriod {
  readonly opensAt: number;
  readonly closesAt: number;
  /** Which windows of the schedule it comes from: their positions in `SchedulePolicy.windows`, ascending. */
  readonly windows: readonly number[];
}

/** How far ahead openings are searched, ms: 400 days, so that a window that opens once a year is found. */
export const horizonMs = 400 * 86_400_000;
