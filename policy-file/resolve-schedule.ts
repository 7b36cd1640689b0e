import {
  type CalendarSource,
  type Freeze,
  type SchedulePolicy,
  type WindowRule,
  weekdays,
  weeksOfMonth,
} from '../core/schedule/schedule.ts';
import { parseDate, parseFreezeEnd, parseTimeOfDay } from './schedule-times.ts';
import type { WrittenPolicy } from './schema.ts';

type WrittenSchedule = NonNullable<WrittenPolicy['spec']['schedule']>;

/** Converts a written schedule, which is already valid: days in the order of the week, times in minutes, dates as local times. */
export function resolveSchedule({ timeZone, windows, freezes, calendars }: WrittenSchedule): SchedulePolicy {
  return {
    timeZone,
    windows: windows.map(resolveWindow),
    freezes: freezes.flatMap(resolveFreeze),
    calendars: calendars.flatMap(resolveCalendar),
  };
}

function resolveWindow({ days = [...weekdays], weeks, start, end }: WrittenSchedule['windows'][number]): WindowRule {
  const [startMinute, endMinute] = [parseTimeOfDay(start), parseTimeOfDay(end)];
  return {
    days: weekdays.filter((day) => days.includes(day)),
    ...(weeks === undefined ? {} : { weeks: weeksOfMonth.filter((week) => weeks.includes(week)) }),
    startMinute,
    endMinute: endMinute > startMinute ? endMinute : endMinute + 1440,
  };
}

function resolveFreeze({ name, from, to }: WrittenSchedule['freezes'][number]): readonly Freeze[] {
  const [begins, ends] = [parseDate(from), parseFreezeEnd(to)];
  return begins === undefined || ends === undefined ? [] : [{ name, from: begins, to: ends }];
}

function resolveCalendar({ file, url }: WrittenSchedule['calendars'][number]): readonly CalendarSource[] {
  if (url !== undefined) return [{ url }];
  return file === undefined ? [] : [{ file }];
}
