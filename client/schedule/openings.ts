import { formatCalendar, formatFreeze } from '../../core/policy/schedule-differences.ts';
import { describeWindow, describeWindowState } from '../../core/schedule/describe-schedule.ts';
import { freezeOf } from '../../core/schedule/freezes.ts';
import { describeIrregularWindows } from '../../core/schedule/irregular.ts';
import { type FreezePeriod, horizonMs, type OpenPeriod } from '../../core/schedule/schedule.ts';
import { windowState } from '../../core/schedule/window-state.ts';
import { allFreezes, openPeriods, type ScheduleFacts } from '../../core/schedule/windows.ts';
import type { ZoneRules } from '../../core/schedule/zone.ts';
import type { ScheduledPolicy } from './scheduled-policy.ts';

/** When the pool of a policy may be upgraded, in words, and when exactly. */
export interface Openings {
  readonly timeZone: string;
  /** One line each: `Mon-Thu 22:00-04:00 Europe/Berlin`. */
  readonly windows: readonly string[];
  /** Freezes that are not over, of the policy and of calendars: one line each, in local time, the next one first. */
  readonly freezes: readonly string[];
  /** Calendars whose events are further freezes. */
  readonly calendars: readonly string[];
  /** Calendars that could not be read, so that the openings do not consider their events. */
  readonly unreadCalendars: readonly UnreadCalendar[];
  /** Whether a window is open now. */
  readonly isOpen: boolean;
  /** `open until Tue 04:00 (in 2h 10m)`, `opens Mon 22:00 (in 3d 4h)`. */
  readonly state: string;
  /** The next openings within 400 days, five at most, epoch ms. */
  readonly next: readonly Opening[];
  /** Windows that a clock change moves, shortens, lengthens or removes, one sentence each. */
  readonly irregular: readonly string[];
}

/** An opening, epoch ms. */
interface Opening {
  readonly opensAt: number;
  readonly closesAt: number;
}

/** A calendar that could not be read, and why. */
interface UnreadCalendar {
  readonly calendar: string;
  readonly reason: string;
}

/** What the calendars of a policy freeze, as far as they could be read. */
export interface CalendarFreezes {
  readonly periods: readonly FreezePeriod[];
  readonly unread: readonly UnreadCalendar[];
}

const maxOpenings = 5;

/** Finds out when the pool of a policy may be upgraded from `now` on (epoch ms). Temporal can't tell: it knows nothing of freezes. */
export function findOpenings(
  { schedule }: ScheduledPolicy,
  { zone, calendars, now }: { readonly zone: ZoneRules; readonly calendars: CalendarFreezes; readonly now: number },
): Openings {
  const facts: ScheduleFacts & { readonly now: number } = { schedule, zone, freezes: calendars.periods, now };
  const state = windowState(facts);
  return {
    timeZone: schedule.timeZone,
    windows: schedule.windows.map((window) => describeWindow(window, schedule.timeZone)),
    freezes: allFreezes(facts)
      .filter(({ to }) => to > now)
      .toSorted((a, b) => a.from - b.from)
      .map((freeze) => formatFreeze(freezeOf(freeze, zone))),
    calendars: schedule.calendars.map(formatCalendar),
    unreadCalendars: calendars.unread,
    isOpen: state.open,
    state: describeWindowState(state, now, zone),
    next: nextPeriods(facts)
      .slice(0, maxOpenings)
      .map(({ opensAt, closesAt }) => ({ opensAt, closesAt })),
    irregular: describeIrregularWindows(facts),
  };
}

/** Most schedules have five openings within eight weeks, and the whole horizon takes seven times as long. */
function nextPeriods(facts: ScheduleFacts & { readonly now: number }): readonly OpenPeriod[] {
  const { now } = facts;
  const soon = periodsUntil(facts, now + horizonMs / 7);
  // The last one may be cut there.
  return soon.length > maxOpenings ? soon : periodsUntil(facts, now + horizonMs);
}

/** The period that is open now is none of them: it is cut at `now`. */
function periodsUntil(facts: ScheduleFacts & { readonly now: number }, to: number): readonly OpenPeriod[] {
  return openPeriods({ ...facts, from: facts.now, to }).filter(({ opensAt }) => opensAt > facts.now);
}
