import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { surroundingsOf } from '../../client/output/policy-surroundings.ts';

const now = Date.UTC(2026, 10, 25);
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeferry-calendar-'));
  const event =
    'BEGIN:VEVENT\nUID:1\nSUMMARY:Year end\nDTSTART;VALUE=DATE:20261218\nDTEND;VALUE=DATE:20270105\nEND:VEVENT';
  writeFileSync(join(folder, 'freezes.ics'), `BEGIN:VCALENDAR\n${event}\nEND:VCALENDAR\n`);
  writeFileSync(join(folder, 'page.ics'), '<html>\n');
  writeFileSync(join(folder, 'long.ics'), ' '.repeat(1_048_577));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string) =>
  surroundingsOf(join(folder, 'policy.yaml'), now).readCalendarFile(path, 'America/New_York');

test('a calendar file is read from the folder of the policy, and its events become freezes', () => {
  const day = (year: number, month: number, date: number) => ({
    year,
    month,
    day: date,
    hour: 0,
    minute: 0,
    second: 0,
  });
  expect(read('freezes.ics')).toEqual({
    ok: true,
    freezes: [{ name: 'Year end (freezes.ics)', from: day(2026, 12, 18), to: day(2027, 1, 5) }],
  });
});

test.each([
  ['missing.ics', /missing\.ics can't be read$/],
  ['long.ics', /long\.ics can't be read$/],
  ['.', /can't be read$/],
  ['page.ics', /page\.ics:1: it is no iCalendar: expected BEGIN:VCALENDAR, found '<html>'$/],
])('%s is refused with its path', (path, expected) => {
  const result = read(path);
  expect(result.ok ? '' : result.message).toMatch(expected);
});
