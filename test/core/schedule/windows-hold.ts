import { DateTime } from 'luxon';
import type { OpenPeriod, SchedulePolicy, Weekday, WeekOfMonth, WindowRule } from '../../../core/schedule/schedule.ts';
import { localTimeOf, wallClockMs, type ZoneRules } from '../../../core/schedule/zone.ts';

const dayMs = 86_400_000;
const weekdays: readonly Weekday[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** What is wrong with a list of open periods between two instants. Empty if nothing is. It judges by what wall clocks read and nothing else. */
export function judgePeriods(
  periods: readonly OpenPeriod[],
  { windows }: SchedulePolicy,
  zone: ZoneRules,
  { from, to }: { readonly from: number; readonly to: number },
): readonly string[] {
  const problems: string[] = [];
  const wallAt = (instant: number) => wallClockMs(zone.toLocal(instant));
  const isInside = (instant: number) => windows.some((window) => isWithin(window, wallAt(instant)));
  const isOpen = (instant: number) => periods.some((one) => one.opensAt <= instant && instant < one.closesAt);

  for (const [index, { opensAt, closesAt }] of periods.entries()) {
    if (opensAt >= closesAt) problems.push(`an empty period at ${at(opensAt)}`);
    const before = periods[index - 1];
    if (before !== undefined && before.closesAt >= opensAt) problems.push(`periods that touch at ${at(opensAt)}`);
    for (const instant of [opensAt, opensAt + 1000, closesAt - 1000]) {
      if (opensAt <= instant && !isInside(instant)) problems.push(`open outside the windows at ${at(instant)}`);
    }
  }
  // A time that clocks show twice may be outside the first or the second time; every other one decides.
  for (let instant = from; instant < to; instant += 30 * 60_000) {
    if (isOpen(instant) && !isInside(instant)) problems.push(`open outside the windows at ${at(instant)}`);
    if (isOpen(instant) || !isInside(instant) || zone.toInstants(zone.toLocal(instant)).length > 1) continue;
    problems.push(`closed within a window at ${at(instant)}`);
  }
  return [...problems, ...missed(periods, windows, zone, from, to)];
}

/** Windows of which wall clocks show some minute, and that have no open instant. */
function missed(
  periods: readonly OpenPeriod[],
  windows: readonly WindowRule[],
  zone: ZoneRules,
  from: number,
  to: number,
): readonly string[] {
  const problems: string[] = [];
  const first = Math.floor(wallClockMs(zone.toLocal(from)) / dayMs) + 1;
  const last = Math.floor(wallClockMs(zone.toLocal(to)) / dayMs) - 2;
  for (let day = first; day <= last; day += 1) {
    for (const window of windows.filter((one) => opensOn(one, day))) {
      const shown: number[] = [];
      for (let minute = window.startMinute; minute < window.endMinute; minute += 1) {
        shown.push(...zone.toInstants(localTimeOf(day * dayMs + minute * 60_000)));
        // Within an ordinary window one minute is enough.
        if (shown.length > 0 && periods.some(covers(shown[0] ?? 0))) break;
      }
      if (shown.length > 0 && !shown.some((instant) => periods.some(covers(instant))))
        problems.push(`the window of ${at(day * dayMs)} is missed`);
    }
  }
  return problems;
}

function covers(instant: number): (period: OpenPeriod) => boolean {
  return ({ opensAt, closesAt }) => opensAt <= instant && instant < closesAt;
}

/** Whether a wall clock that shows this is within a window that opens on this day or the day before. */
function isWithin(window: WindowRule, wall: number): boolean {
  const today = Math.floor(wall / dayMs);
  return [today, today - 1].some((day) => {
    const minute = (wall - day * dayMs) / 60_000;
    return opensOn(window, day) && window.startMinute <= minute && minute < window.endMinute;
  });
}

function opensOn({ days, weeks }: WindowRule, day: number): boolean {
  const { weekday, weeks: found } = dateOf(day);
  return days.includes(weekday) && (weeks === undefined || found.some((week) => weeks.includes(week)));
}

interface FoundDate {
  readonly weekday: Weekday;
  readonly weeks: readonly WeekOfMonth[];
}

const dates = new Map<number, FoundDate>();

/** The weekday of a day since 1970, and which of its month it is. */
function dateOf(day: number): FoundDate {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const date = DateTime.fromMillis(day * dayMs, { zone: 'utc' });
  const names: readonly WeekOfMonth[] = ['first', 'second', 'third', 'fourth'];
  const last: readonly WeekOfMonth[] = date.plus({ weeks: 1 }).month === date.month ? [] : ['last'];
  const index = Math.ceil(date.day / 7) - 1;
  const found = { weekday: weekdays[date.weekday - 1] ?? 'Mon', weeks: [...names.slice(index, index + 1), ...last] };
  dates.set(day, found);
  return found;
}

function at(instant: number): string {
  return new Date(instant).toISOString();
}
