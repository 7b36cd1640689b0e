import { type LocalTime, localTimeOf, wallClockMs } from '../core/schedule/zone.ts';

/** The written form of a time of day: `22:00`, and `24:00` for the end of a day. */
export const timeOfDayPattern = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Minutes after midnight of a written time of day. */
export function parseTimeOfDay(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
}

/** The written form of a date or date-time: `2026-12-18`, `2026-12-18T18:00`, `2026-12-18T18:00:30`. */
export const datePattern = /^\d{4}-\d{2}-\d{2}(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)?$/;

/** Reads a date, which is its beginning, or a date-time. Undefined when the calendar has no such day. */
export function parseDate(text: string): LocalTime | undefined {
  if (!datePattern.test(text)) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/[-T:]/).map(Number);
  const local = { year, month, day, hour, minute, second };
  // Date.UTC reads years before 100 as 19xx, and the 30th of February as a day in March.
  const read = localTimeOf(wallClockMs(local));
  return read.year === year && read.month === month && read.day === day ? local : undefined;
}

/** Reads the end of a freeze: a date is inclusive, so it ends where the next day begins; a date-time is the end itself. */
export function parseFreezeEnd(text: string): LocalTime | undefined {
  const local = parseDate(text);
  if (local === undefined || text.includes('T')) return local;
  return localTimeOf(wallClockMs(local) + 86_400_000);
}
