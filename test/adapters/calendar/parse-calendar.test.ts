import { describe, expect, test } from 'vitest';
import { parseCalendar } from '../../../adapters/calendar/parse-calendar.ts';
import { isTimeZone, zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';

const from = Date.UTC(2026, 10, 1);
const question = {
  calendar: 'freezes.ics',
  zone: zoneRulesOf('Europe/Berlin'),
  zoneOf: (name: string) => (isTimeZone(name) ? zoneRulesOf(name) : undefined),
  from,
  to: from + 400 * 86_400_000,
};

function calendarOf(...events: readonly string[]): string {
  const written = events.map((event) => `BEGIN:VEVENT\r\n${event.trim().replaceAll('\n', '\r\n')}\r\nEND:VEVENT\r\n`);
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\n${written.join('')}END:VCALENDAR\r\n`;
}

/** Events as `name from/to` in UTC. */
function eventsOf(text: string): readonly string[] {
  const result = parseCalendar(text, question);
  if (!result.ok) throw new Error(`${result.line}: ${result.reason}`);
  const iso = (at: number) => new Date(at).toISOString().slice(0, 16);
  return result.events.map((event) => `${event.name} ${iso(event.from)}/${iso(event.to)}`);
}

function faultOf(text: string, maxMs?: number): string {
  const result = parseCalendar(text, question, maxMs);
  return result.ok ? 'accepted' : `${result.line}: ${result.reason}`;
}

const zoned = (zone: string) =>
  `UID:1\nSUMMARY:Sale\nDTSTART;TZID=${zone}:20261127T180000\nDTEND;TZID=${zone}:20261127T200000`;

describe('an event', () => {
  test('that lasts all day ends with its last day, in the zone of the schedule', () => {
    const event = 'UID:1\nSUMMARY:Year end\nDTSTART;VALUE=DATE:20261218\nDTEND;VALUE=DATE:20270105';
    expect(eventsOf(calendarOf(event))).toEqual(['Year end (freezes.ics) 2026-12-17T23:00/2027-01-04T23:00']);
  });

  test('that lasts all day and has no end lasts one day', () => {
    expect(eventsOf(calendarOf('UID:1\nDTSTART;VALUE=DATE:20261218'))).toEqual([
      'event (freezes.ics) 2026-12-17T23:00/2026-12-18T23:00',
    ]);
  });

  test('in UTC, in local time, and with a duration', () => {
    const events = [
      'UID:1\nSUMMARY:a\nDTSTART:20261201T120000Z\nDTEND:20261201T130000Z',
      'UID:2\nSUMMARY:b\nDTSTART:20261202T120000\nDURATION:PT2H30M',
    ];
    expect(eventsOf(calendarOf(...events))).toEqual([
      'a (freezes.ics) 2026-12-01T12:00/2026-12-01T13:00',
      'b (freezes.ics) 2026-12-02T11:00/2026-12-02T13:30',
    ]);
  });

  test('in a zone that the calendar does not define is read in the zone of that IANA name', () => {
    expect(eventsOf(calendarOf(zoned('America/New_York')))).toEqual([
      'Sale (freezes.ics) 2026-11-27T23:00/2026-11-28T01:00',
    ]);
  });

  test('in a zone that the calendar defines is read by that definition', () => {
    const zone = [
      'BEGIN:VTIMEZONE',
      'TZID:Office',
      'BEGIN:STANDARD',
      'DTSTART:19700101T000000',
      'TZOFFSETFROM:+0530',
      'TZOFFSETTO:+0530',
      'END:STANDARD',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
    ].join('\r\n');
    expect(eventsOf(calendarOf(zoned('Office')).replace('BEGIN:VEVENT', zone))).toEqual([
      'Sale (freezes.ics) 2026-11-27T12:30/2026-11-27T14:30',
    ]);
  });

  test('that is cancelled, free, over, far away or without duration is left out', () => {
    const day = 'DTSTART;VALUE=DATE:20261218';
    const events = [
      `UID:1\n${day}\nSTATUS:CANCELLED`,
      `UID:2\n${day}\nTRANSP:TRANSPARENT`,
      'UID:3\nDTSTART;VALUE=DATE:20251218',
      'UID:4\nDTSTART;VALUE=DATE:20281218',
      'UID:5\nDTSTART:20261218T120000Z',
    ];
    expect(eventsOf(calendarOf(...events))).toEqual([]);
  });
});

describe('a repeated event', () => {
  test('has its exceptions: left out, moved and cancelled', () => {
    const series = 'UID:1\nSUMMARY:Close\nDTSTART;TZID=Europe/Berlin:20261102T220000\nDURATION:PT1H\n';
    const events = [
      `${series}RRULE:FREQ=WEEKLY;COUNT=5\nEXDATE;TZID=Europe/Berlin:20261109T220000`,
      'UID:1\nSUMMARY:Moved\nRECURRENCE-ID;TZID=Europe/Berlin:20261116T220000\nDTSTART;TZID=Europe/Berlin:20261118T220000\nDURATION:PT1H',
      'UID:1\nSTATUS:CANCELLED\nRECURRENCE-ID;TZID=Europe/Berlin:20261123T220000\nDTSTART;TZID=Europe/Berlin:20261123T220000\nDURATION:PT1H',
    ];
    expect(eventsOf(calendarOf(...events))).toEqual([
      'Close (freezes.ics) 2026-11-02T21:00/2026-11-02T22:00',
      'Moved (freezes.ics) 2026-11-18T21:00/2026-11-18T22:00',
      'Close (freezes.ics) 2026-11-30T21:00/2026-11-30T22:00',
    ]);
  });

  test('keeps its local time when clocks change', () => {
    const event =
      'UID:1\nSUMMARY:x\nDTSTART;TZID=Europe/Berlin:20270327T120000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=2';
    expect(eventsOf(calendarOf(event))).toEqual([
      'x (freezes.ics) 2027-03-27T11:00/2027-03-27T12:00',
      'x (freezes.ics) 2027-03-28T10:00/2027-03-28T11:00',
    ]);
  });

  test('includes the occurrence at its end, whose time is in UTC', () => {
    const event =
      'UID:1\nSUMMARY:x\nDTSTART;TZID=America/New_York:20261201T200000\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=20261203T010000Z';
    expect(eventsOf(calendarOf(event))).toEqual([
      'x (freezes.ics) 2026-12-02T01:00/2026-12-02T02:00',
      'x (freezes.ics) 2026-12-03T01:00/2026-12-03T02:00',
    ]);
  });

  test('that began years ago is counted until it reaches today', () => {
    const event = 'UID:1\nSUMMARY:x\nDTSTART;VALUE=DATE:20001224\nRRULE:FREQ=YEARLY';
    expect(eventsOf(calendarOf(event))).toEqual(['x (freezes.ics) 2026-12-23T23:00/2026-12-24T23:00']);
  });
});

describe('refused, with the line and the reason:', () => {
  const day = 'UID:1\nDTSTART;VALUE=DATE:20261218\n';
  test.each([
    ['a page of HTML', '\n<html>', /^2: it is no iCalendar: expected BEGIN:VCALENDAR, found '<html>'$/],
    ['an empty text', '', /it is empty/],
    ['a text that is cut off', calendarOf(day).slice(0, 90), /END:VEVENT is missing/],
    ['a line without a colon', calendarOf(`${day}NONSENSE`), /^7: expected a name and a value/],
    ['components that overlap', calendarOf(day).replace('END:VEVENT', 'END:VTODO'), /^7: expected END:VEVENT/],
    ['an event without a start', calendarOf('UID:1'), /^4: the event has no DTSTART/],
    ['a date that is none', calendarOf('UID:1\nDTSTART:tomorrow'), /^4: /],
    ['an unknown zone', calendarOf(zoned('Mars/Base')), /^4: .*'Mars\/Base', and it is no IANA name/],
    ['a rule for every second', calendarOf(`${day}RRULE:FREQ=SECONDLY`), /^4: .*SECONDLY can't be a freeze/],
    ['a rule that is none', calendarOf(`${day}RRULE:FREQ=SOMETIMES`), /^4: /],
    ['too many events', calendarOf(...Array.from({ length: 1001 }, () => day)), /more than 1000 events/],
    ['a text that is too long', `BEGIN:VCALENDAR\n${' '.repeat(1_048_576)}`, /at most 1 MiB/],
  ])('%s', (_, text, expected) => {
    expect(faultOf(text)).toMatch(expected);
  });

  test('rules that never come, within seconds', () => {
    const event = (index: number) =>
      `UID:${index}\nDTSTART:20261218T000000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30`;
    const startedAt = performance.now();
    expect(faultOf(calendarOf(...Array.from({ length: 20 }, (_, index) => event(index))), 300)).toMatch(
      /too long to read/,
    );
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('a rule with a billion occurrences', () => {
    const event = 'UID:1\nDTSTART:00010101T000000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9';
    expect(faultOf(calendarOf(event), 300)).toMatch(/more than 50000 occurrences|too long/);
  });
});
