import type { ScheduleSpec } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { describeIrregularWindows } from '../../../core/schedule/irregular.ts';
import { maxWindowMs, temporalScheduleSpec } from '../../../core/schedule/temporal-spec.ts';
import { aFreeze, aSchedule, aWindow, utc } from './scene.ts';

const now = utc('2026-11-02T12:00');
const hour = 3_600_000;

describe('the Temporal Schedule', () => {
  test('fires when windows open', () => {
    const windows = [
      aWindow('22:00', '04:00', { days: ['Mon', 'Tue'] }),
      aWindow('09:30', '10:00', { days: ['Sat'], weeks: ['second', 'last'] }),
    ];
    const { schedule, zone } = aSchedule('Europe/Berlin', windows);
    const spec: ScheduleSpec = temporalScheduleSpec(schedule, zone, now);
    expect(spec).toEqual({
      timezone: 'Europe/Berlin',
      calendars: [
        { comment: 'window 1', dayOfWeek: ['MONDAY', 'TUESDAY'], hour: 22, minute: 0 },
        {
          comment: 'window 2',
          dayOfMonth: [
            { start: 8, end: 14 },
            { start: 22, end: 31 },
          ],
          dayOfWeek: ['SATURDAY'],
          hour: 9,
          minute: 30,
        },
      ],
    });
  });

  test('has dates of its own for openings that clocks skip, for ten years, once each', () => {
    const windows = [aWindow('02:30', '04:00'), aWindow('02:15', '04:00'), aWindow('02:00', '03:00')];
    const { schedule, zone } = aSchedule('Europe/Berlin', windows);
    const dates = temporalScheduleSpec(schedule, zone, now).calendars.slice(3);
    expect(dates).toHaveLength(10);
    expect(dates[0]).toEqual({
      comment: 'opening that the clock change moves',
      year: 2027,
      month: 'MARCH',
      dayOfMonth: [{ start: 28, end: 28 }],
      hour: 3,
      minute: 0,
    });
  });

  test('may catch up for as long as the longest window is open, clock changes included', () => {
    const { schedule, zone } = aSchedule('Europe/Berlin', [aWindow('22:00', '04:00'), aWindow('12:00', '13:00')]);
    expect(maxWindowMs(schedule, zone, now)).toBe(7 * hour);
  });
});

describe('windows that a clock change affects are described', () => {
  test.each([
    ['02:30', '04:00', 'does not exist in Europe/Berlin: the window opens at 03:00 that day', '2027-03-28 02:30'],
    ['01:00', '02:30', 'does not exist in Europe/Berlin: the window closes at 03:00 that day', '2027-03-28 02:30'],
    [
      '02:00',
      '03:00',
      'to 03:00 does not exist in Europe/Berlin: the window does not open that day',
      '2027-03-28 02:00',
    ],
    ['02:30', '04:00', 'occurs twice in Europe/Berlin: the window opens the second time', '2027-10-31 02:30'],
    ['01:00', '02:30', 'occurs twice in Europe/Berlin: the window closes the first time', '2027-10-31 02:30'],
    [
      '22:00',
      '04:00',
      'in Europe/Berlin: the window that opens then lasts 5h instead of 6h, because the clock changes',
      '2027-03-27 22:00',
    ],
  ])('%s-%s: %s', (start, end, expected, when) => {
    const facts = aSchedule('Europe/Berlin', [aWindow(start, end)]);
    expect(describeIrregularWindows({ ...facts, now })).toContain(`${when} ${expected}`);
  });

  test('unless they are frozen, or no clock changes', () => {
    const windows = [aWindow('22:00', '04:00')];
    const freezes = [aFreeze('f', '2027-03-01', '2027-04-01'), aFreeze('g', '2027-10-01', '2027-11-02')];
    expect(describeIrregularWindows({ ...aSchedule('Europe/Berlin', windows, freezes), now })).toEqual([]);
    expect(describeIrregularWindows({ ...aSchedule('UTC', windows), now })).toEqual([]);
  });

  test('ten at most', () => {
    const windows = Array.from({ length: 12 }, (_, index) => aWindow(`02:${10 + index}`, '05:00'));
    const described = describeIrregularWindows({ ...aSchedule('Europe/Berlin', windows), now });
    expect(described).toHaveLength(11);
    expect(described.at(-1)).toBe('and 14 more');
  });
});
