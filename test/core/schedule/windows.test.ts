import { describe, expect, test } from 'vitest';
import { openPeriods, type ScheduleFacts } from '../../../core/schedule/windows.ts';
import { aFreeze, aSchedule, aWindow, utc } from './scene.ts';

/** Periods as `from/to` in UTC. */
function periodsOf(facts: ScheduleFacts, from: string, to: string): readonly string[] {
  const iso = (at: number) => new Date(at).toISOString().slice(0, 16);
  return openPeriods({ ...facts, from: utc(from), to: utc(to) }).map(
    ({ opensAt, closesAt }) => `${iso(opensAt)}/${iso(closesAt)}`,
  );
}

/** What one window every day is on the days of a clock change. */
const changes: readonly (readonly [string, string, string, string, string, readonly string[]])[] = [
  ['an ordinary night', 'Europe/Berlin', '22:00', '04:00', '2026-11-02', ['2026-11-02T21:00/2026-11-03T03:00']],
  ['a longer night', 'Europe/Berlin', '22:00', '04:00', '2026-10-24', ['2026-10-24T20:00/2026-10-25T03:00']],
  ['a shorter night', 'Europe/Berlin', '22:00', '04:00', '2027-03-27', ['2027-03-27T21:00/2027-03-28T02:00']],
  ['a start that occurs twice', 'Europe/Berlin', '02:30', '04:00', '2026-10-25', ['2026-10-25T01:30/2026-10-25T03:00']],
  ['an end that occurs twice', 'Europe/Berlin', '01:00', '02:30', '2026-10-25', ['2026-10-24T23:00/2026-10-25T00:30']],
  ['both occur twice', 'Europe/Berlin', '02:15', '02:45', '2026-10-25', ['2026-10-25T01:15/2026-10-25T01:45']],
  [
    'a start that does not exist',
    'Europe/Berlin',
    '02:30',
    '04:00',
    '2027-03-28',
    ['2027-03-28T01:00/2027-03-28T02:00'],
  ],
  [
    'an end that does not exist',
    'Europe/Berlin',
    '01:00',
    '02:30',
    '2027-03-28',
    ['2027-03-28T00:00/2027-03-28T01:00'],
  ],
  ['a window that does not exist', 'Europe/Berlin', '02:00', '03:00', '2027-03-28', []],
  [
    'a midnight that does not exist',
    'Africa/Cairo',
    '00:00',
    '02:00',
    '2027-04-30',
    ['2027-04-29T22:00/2027-04-29T23:00'],
  ],
  [
    'a change of half an hour',
    'Australia/Lord_Howe',
    '02:15',
    '04:00',
    '2026-10-04',
    ['2026-10-03T15:30/2026-10-03T17:00'],
  ],
];

describe('a window is open', () => {
  test.each(changes)('in %s', (_, timeZone, start, end, day, expected) => {
    const [weekday = 'Mon'] = (['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const).slice(
      new Date(utc(`${day}T00:00`)).getUTCDay(),
    );
    const from = new Date(utc(`${day}T00:00`) - 86_400_000).toISOString().slice(0, 16);
    const to = new Date(utc(`${day}T00:00`) + 3 * 86_400_000).toISOString().slice(0, 16);
    expect(periodsOf(aSchedule(timeZone, [aWindow(start, end, { days: [weekday] })]), from, to)).toEqual(expected);
  });

  test('on the days on which it opens, and until the morning after', () => {
    const facts = aSchedule('UTC', [aWindow('22:00', '04:00', { days: ['Mon', 'Sat'] })]);
    expect(periodsOf(facts, '2026-11-01T00:00', '2026-11-08T12:00')).toEqual([
      '2026-11-01T00:00/2026-11-01T04:00',
      '2026-11-02T22:00/2026-11-03T04:00',
      '2026-11-07T22:00/2026-11-08T04:00',
    ]);
  });

  test('on the first and last of a weekday in each month', () => {
    const facts = aSchedule('UTC', [aWindow('00:00', '24:00', { days: ['Sat'], weeks: ['first', 'last'] })]);
    expect(periodsOf(facts, '2026-10-01T00:00', '2026-12-01T00:00').map((period) => period.slice(0, 10))).toEqual([
      '2026-10-03',
      '2026-10-31',
      '2026-11-07',
      '2026-11-28',
    ]);
  });

  test('on the 29th of February', () => {
    const facts = aSchedule('UTC', [aWindow('23:00', '01:00', { days: ['Tue'], weeks: ['last'] })]);
    expect(periodsOf(facts, '2028-02-20T00:00', '2028-03-10T00:00')).toEqual(['2028-02-29T23:00/2028-03-01T01:00']);
  });
});

test('windows that overlap or touch are one period, which knows its windows', () => {
  const facts = aSchedule('UTC', [aWindow('22:00', '24:00'), aWindow('05:00', '06:00'), aWindow('00:00', '03:00')]);
  const periods = openPeriods({ ...facts, from: utc('2026-11-02T12:00'), to: utc('2026-11-03T12:00') });
  expect(periods).toEqual([
    { opensAt: utc('2026-11-02T22:00'), closesAt: utc('2026-11-03T03:00'), windows: [0, 2] },
    { opensAt: utc('2026-11-03T05:00'), closesAt: utc('2026-11-03T06:00'), windows: [1] },
  ]);
});

test('freezes of the schedule and of calendars split a window', () => {
  const facts = aSchedule('Europe/Berlin', [aWindow('22:00', '04:00')], [aFreeze('f', '2026-11-03', '2026-11-04')]);
  const freezes = [{ name: 'g', from: utc('2026-11-02T21:30'), to: utc('2026-11-02T22:00') }];
  expect(periodsOf({ ...facts, freezes }, '2026-11-02T12:00', '2026-11-04T12:00')).toEqual([
    '2026-11-02T21:00/2026-11-02T21:30',
    '2026-11-02T22:00/2026-11-02T23:00',
    '2026-11-03T23:00/2026-11-04T03:00',
  ]);
});
