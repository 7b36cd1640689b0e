/** The written form of `spec.schedule`. */
import { z } from 'zod';
import { weekdays, weeksOfMonth } from '../core/schedule/schedule.ts';
import { wallClockMs } from '../core/schedule/zone.ts';
import { name, oneOf, plainUrl, text } from './fields.ts';
import { datePattern, parseDate, parseFreezeEnd, timeOfDayPattern } from './schedule-times.ts';

const timeAllowed = 'a local time as HH:MM, such as "22:00"';
const timeOfDay = (description: string) => text(timeAllowed, timeOfDayPattern, 5).meta({ description });

const start = timeOfDay('Local time at which the window opens, e.g. "22:00".').refine(
  (written) => written !== '24:00',
  {
    error: `${timeAllowed}, before 24:00`,
  },
);

const window = z
  .strictObject({
    days: z
      .array(oneOf(weekdays), { error: 'a list of days, such as [Mon, Tue]' })
      .min(1, { error: 'at least one day; leave the field out for all days' })
      .optional()
      .meta({ description: 'Days on which the window opens. Default: all days.' }),
    weeks: z
      .array(oneOf(weeksOfMonth), { error: 'a list of weeks, such as [first, last]' })
      .min(1, { error: 'at least one week; leave the field out for all weeks' })
      .optional()
      .meta({
        description:
          'Only on these occurrences of the day in its month: [first] with days [Sat] is the first Saturday of each month. Default: all.',
      }),
    start,
    end: timeOfDay(
      'Local time at which the window closes. At or before start means the next day; "24:00" is the end of the day.',
    ),
  })
  .refine(({ start: opens, end }) => opens !== end, {
    path: ['end'],
    error: 'a time that differs from start; for a whole day write start: "00:00" and end: "24:00"',
  });

const dateAllowed = 'a date such as 2026-12-18, or a local date-time such as 2026-12-18T18:00';
const date = (description: string) =>
  text(dateAllowed, datePattern, 19)
    .refine((written) => !datePattern.test(written) || parseDate(written) !== undefined, {
      error: 'a day that the calendar has, such as 2026-12-18',
    })
    .meta({ description });

const freeze = z
  .strictObject({
    name: name('Name of the freeze. The status shows it as the reason why no window is open.', 63),
    from: date('First day of the freeze, or the local date-time at which it begins.'),
    to: date('Last day of the freeze, which it includes as a whole, or the local date-time at which it ends.'),
  })
  .refine(
    ({ from, to }) => {
      const [begins, ends] = [parseDate(from), parseFreezeEnd(to)];
      return begins === undefined || ends === undefined || wallClockMs(begins) < wallClockMs(ends);
    },
    { path: ['to'], error: 'a date or date-time after from' },
  );

const calendarAllowed = 'either file or url';
const calendar = z
  .strictObject({
    file: text('the path of an iCalendar file, relative to the policy', /^[^\p{Cc}]+$/u, 1024)
      .optional()
      .meta({
        description:
          'An iCalendar file, relative to the policy, at most 1 MiB. The command line reads it; the run uses what it contains at that time.',
      }),
    url: plainUrl('use an address that needs no authentication').optional().meta({
      description:
        'http or https address of an iCalendar, at most 1 MiB. The worker reads it before a decision unless it did within the last minute.',
    }),
  })
  .refine(({ file, url }) => (file === undefined) !== (url === undefined), { error: calendarAllowed });

/** When the pool may be upgraded. */
export const schedule = z
  .strictObject({
    timeZone: text(
      'the IANA name of a time zone, such as Europe/Berlin or UTC',
      /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/,
      64,
    ).meta({ description: 'Time zone of all local times in the schedule, by its IANA name, e.g. Europe/Berlin.' }),
    windows: z
      .array(window, { error: 'a list of windows with start and end' })
      .min(1, { error: 'at least one window; without spec.schedule a run may work at any time' })
      .max(50, { error: 'at most 50 windows' })
      .meta({
        description: 'Windows in which the pool may be upgraded. Batches start only if they can finish in one.',
      }),
    freezes: z
      .array(freeze, { error: 'a list of freezes with name, from and to' })
      .max(200, { error: 'at most 200 freezes; use an iCalendar for more' })
      .default([])
      .meta({ description: 'Periods in which no window is open.' }),
    calendars: z
      .array(calendar, { error: 'a list of calendars with file or url' })
      .max(10, { error: 'at most 10 calendars' })
      .default([])
      .meta({ description: 'iCalendars. Each of their events is a freeze, unless it is cancelled or shown as free.' }),
  })
  .meta({
    description: 'Upgrade windows: when the pool may be upgraded. Default: at any time. See docs/windows.md.',
  });
