import { describe, expect, test } from 'vitest';
import { isTimeZone, timeZoneNames } from '../../adapters/time-zones/zone-rules.ts';
import { weekdays } from '../../core/schedule/schedule.ts';
import { formatPolicyProblem, parsePolicy } from '../../policy-file/parse.ts';

const head = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata: {name: test}
spec:
  cluster: {name: production, region: eu-west-1}
  pool: {name: web}
  schedule:
`;
const oneWindow = '    windows: [{start: 22:00, end: 04:00}]\n';
const local = (year: number, month: number, day: number, hour = 0) => ({
  year,
  month,
  day,
  hour,
  minute: 0,
  second: 0,
});

function parse(schedule: string, calendars: Readonly<Record<string, string>> = {}) {
  return parsePolicy(`${head}${schedule}`, 'p.yaml', {
    isTimeZone,
    timeZoneNames,
    readCalendarFile: (path) => {
      const name = calendars[path];
      if (name === undefined) return { ok: false, message: `${path} can't be read`, allowed: 'an iCalendar' };
      return { ok: true, freezes: [{ name, from: local(2026, 12, 1), to: local(2026, 12, 2) }] };
    },
  });
}

test('calendar files may have 1,000 freezes together', () => {
  const day = { name: 'f', from: local(2026, 12, 1), to: local(2026, 12, 2) };
  const text = `${head}    timeZone: UTC\n${oneWindow}    calendars: [{file: a.ics}, {file: b.ics}]\n`;
  const result = parsePolicy(text, 'p.yaml', {
    isTimeZone,
    timeZoneNames,
    readCalendarFile: () => ({ ok: true, freezes: Array.from({ length: 501 }, () => day) }),
  });
  expect(result.ok ? [] : result.problems.map(formatPolicyProblem)).toEqual([
    'p.yaml:10:16 spec.schedule.calendars: the schedule has 1002 freezes, with those of its calendar files; allowed: at most 1000 freezes; use the url of a calendar for more',
  ]);
});

function scheduleOf(...args: Parameters<typeof parse>) {
  const result = parse(...args);
  if (!result.ok) throw new Error(result.problems.map(formatPolicyProblem).join('\n'));
  return result.policy.schedule;
}

function problemsOf(schedule: string): readonly string[] {
  const result = parse(schedule);
  return result.ok ? [] : result.problems.map(formatPolicyProblem);
}

describe('a schedule', () => {
  test('is absent without spec.schedule, so that a run may work at any time', () => {
    const result = parsePolicy(head.replace('  schedule:\n', ''), 'p.yaml');
    expect(result.ok && 'schedule' in result.policy).toBe(false);
  });

  test('gets its days in order and its times in minutes, with or without quotes', () => {
    const written = `    timeZone: Europe/Berlin
    windows:
      - {days: [Thu, Mon, Mon], weeks: [last, first], start: 22:00, end: "04:00"}
      - {start: "00:00", end: 24:00}
      - {days: [Sat], start: 01:30, end: 01:00}
`;
    expect(scheduleOf(written)).toEqual({
      timeZone: 'Europe/Berlin',
      windows: [
        { days: ['Mon', 'Thu'], weeks: ['first', 'last'], startMinute: 1320, endMinute: 1680 },
        { days: weekdays, startMinute: 0, endMinute: 1440 },
        { days: ['Sat'], startMinute: 90, endMinute: 1500 },
      ],
      freezes: [],
      calendars: [],
    });
  });

  test('has freezes that include their last day, or end at a time', () => {
    const freezes = `    freezes:
      - {name: year-end, from: 2026-12-18, to: 2027-01-04}
      - {name: sale, from: 2026-11-27T18:00, to: 2026-11-28T06:00:00}
      - {name: leap day, from: 2028-02-29, to: 2028-02-29}
`;
    expect(scheduleOf(`    timeZone: UTC\n${oneWindow}${freezes}`)?.freezes).toEqual([
      { name: 'year-end', from: local(2026, 12, 18), to: local(2027, 1, 5) },
      { name: 'sale', from: local(2026, 11, 27, 18), to: local(2026, 11, 28, 6) },
      { name: 'leap day', from: local(2028, 2, 29), to: local(2028, 3, 1) },
    ]);
  });

  test('contains the events of calendar files, and the addresses of the others', () => {
    const calendars = '    calendars: [{url: "https://example.com/a.ics"}, {file: b.ics}]\n';
    const schedule = scheduleOf(`    timeZone: UTC\n${oneWindow}${calendars}`, { 'b.ics': 'Sale (b.ics)' });
    expect(schedule?.calendars).toEqual([{ url: 'https://example.com/a.ics' }]);
    expect(schedule?.freezes).toEqual([{ name: 'Sale (b.ics)', from: local(2026, 12, 1), to: local(2026, 12, 2) }]);
  });
});

describe('a problem in a schedule is refused with its position:', () => {
  const zone = '    timeZone: UTC\n';
  const freeze = (from: string, to: string) =>
    `${zone}${oneWindow}    freezes: [{name: f, from: ${from}, to: ${to}}]\n`;
  const calendar = (written: string) => `${zone}${oneWindow}    calendars: [${written}]\n`;
  test.each([
    ['no zone', oneWindow, /^p\.yaml:7:3 spec\.schedule\.timeZone: this field is required; allowed: the IANA name/],
    [
      'an unknown zone',
      `    timeZone: Europe/Berln\n${oneWindow}`,
      /^p\.yaml:8:15 spec\.schedule\.timeZone: there is no time zone 'Europe\/Berln'; allowed: .*Did you mean Europe\/Berlin\?$/,
    ],
    ['a city', `    timeZone: Berlin\n${oneWindow}`, /Did you mean Europe\/Berlin\?$/],
    ['a zone in small letters', `    timeZone: europe/berlin\n${oneWindow}`, /Did you mean Europe\/Berlin\?$/],
    ['an offset', `    timeZone: "+01:00"\n${oneWindow}`, /'\+01:00' is not allowed here; allowed: the IANA name/],
    ['no windows', `${zone}    windows: []\n`, /^p\.yaml:9:14 spec\.schedule\.windows: .*at least one window/],
    [
      'a start that is its end',
      `${zone}    windows: [{start: "22:00", end: "22:00"}]\n`,
      /^p\.yaml:9:37 spec\.schedule\.windows\[0\]\.end: .*for a whole day write start: "00:00" and end: "24:00"$/,
    ],
    ['a start at 24:00', `${zone}    windows: [{start: 24:00, end: 04:00}]\n`, /windows\[0\]\.start: .*before 24:00$/],
    ['a time that is none', `${zone}    windows: [{start: 25:00, end: 04:00}]\n`, /start: '25:00' .*allowed: .*HH:MM/],
    ['a time as a number', `${zone}    windows: [{start: 22, end: 04:00}]\n`, /start: '22' .*such as "22:00"$/],
    ['a time without zero', `${zone}    windows: [{start: 7:00, end: 08:00}]\n`, /start: '7:00' .*HH:MM/],
    [
      'an unknown day',
      `${zone}    windows: [{days: [Mo], start: 22:00, end: 04:00}]\n`,
      /windows\[0\]\.days\[0\]: 'Mo' is not allowed here; allowed: one of Mon, .*Did you mean Mon\?$/,
    ],
    ['no day', `${zone}    windows: [{days: [], start: 22:00, end: 04:00}]\n`, /at least one day; leave the field out/],
    [
      'an unknown week',
      `${zone}    windows: [{weeks: [fifth], start: 22:00, end: 04:00}]\n`,
      /'fifth' is not allowed here; allowed: one of first, second, third, fourth, last/,
    ],
    [
      'too many windows',
      `${zone}    windows: [${'{start: 22:00, end: 04:00}, '.repeat(51)}]\n`,
      /spec\.schedule\.windows: .*at most 50 windows$/,
    ],
    ['a freeze that ends before it begins', freeze('2026-12-18', '2026-12-17'), /freezes\[0\]\.to: .*after from$/],
    ['a freeze without a length', freeze('2026-12-18T06:00', '2026-12-18T06:00'), /freezes\[0\]\.to: .*after from$/],
    ['a day that does not exist', freeze('2026-02-30', '2026-03-01'), /freezes\[0\]\.from: .*a day that the calendar/],
    ['a date in another form', freeze('18.12.2026', '2026-12-20'), /freezes\[0\]\.from: '18\.12\.2026' .*2026-12-18/],
    ['neither file nor url', calendar('{}'), /calendars\[0\]: .*either file or url$/],
    ['file and url', calendar('{file: a, url: "https://a.example/"}'), /calendars\[0\]: .*either file or url$/],
    ['a password', calendar('{url: "https://u:p@a.example/"}'), /'https:\/\/…@a\.example\/' .*without user name/],
    ['the metadata service', calendar('{url: "http://169.254.169.254/"}'), /calendars\[0\]\.url: .*link-local/],
    [
      'a file that is missing',
      calendar('{file: freezes.ics}'),
      /^p\.yaml:10:24 spec\.schedule\.calendars\[0\]\.file: freezes\.ics can't be read; allowed: an iCalendar$/,
    ],
    [
      'an unknown field',
      `${zone}${oneWindow}    exclusions: []\n`,
      /spec\.schedule\.exclusions: there is no such field/,
    ],
  ])('%s', (_, schedule, expected) => {
    const problems = problemsOf(schedule);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });
});
