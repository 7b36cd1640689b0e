import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readOpenings } from '../../../client/schedule/read-openings.ts';
import { aScheduledPolicy } from './fixture.ts';

/** Serves a text at an address of this computer, and counts how often it is read. */
async function serve(text: string) {
  const served = { url: '', times: 0 };
  const server = createServer((_request, response) => {
    served.times += 1;
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/freezes.ics`;
  return served;
}

function policyWith(url: string) {
  return aScheduledPolicy(`
    timeZone: Europe/Berlin
    windows: [{days: [Mon], start: "22:00", end: "23:00"}]
    calendars: [{url: "${url}"}]`);
}

const now = Date.UTC(2026, 10, 25, 9);

function daysOf(next: readonly { readonly opensAt: number }[]): readonly string[] {
  return next.map(({ opensAt }) => new Date(opensAt).toISOString().slice(0, 10));
}

test('leaves out the openings that events of a calendar freeze, and reads each calendar once', async () => {
  const calendar = await serve(
    [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//nodeferry//test//EN',
      'BEGIN:VEVENT',
      'UID:1',
      'DTSTAMP:20261101T000000Z',
      'SUMMARY:Black Friday',
      'DTSTART;VALUE=DATE:20261127',
      'DTEND;VALUE=DATE:20261201',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  );

  const openings = await readOpenings(policyWith(calendar.url), now);
  await readOpenings(policyWith(calendar.url), now);

  expect(daysOf(openings.next)).toEqual(['2026-12-07', '2026-12-14', '2026-12-21', '2026-12-28', '2027-01-04']);
  expect(openings.state).toContain('freeze Black Friday');
  expect(openings.freezes).toEqual([expect.stringMatching(/^Black Friday.*: 2026-11-27 00:00 to 2026-12-01 00:00$/)]);
  expect(openings).toMatchObject({ calendars: [calendar.url], unreadCalendars: [] });
  expect(calendar.times).toBe(1);
});

test.each([
  ['is no calendar', async () => (await serve('<html>')).url, /can't be used: line 1: it is no iCalendar/],
  ['does not answer', async () => 'http://127.0.0.1:1/freezes.ics', /can't be read: .*ECONNREFUSED/],
])('shows the openings without a calendar that %s, and says why', async (_what, address, why) => {
  const url = await address();

  const openings = await readOpenings(policyWith(url), now);

  expect(daysOf(openings.next)[0]).toBe('2026-11-30');
  expect(openings.unreadCalendars).toEqual([{ calendar: url, reason: expect.stringMatching(why) }]);
});
