import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { maxCalendarBytes, parseCalendar } from '../../adapters/calendar/parse-calendar.ts';
import { findZoneRules, isTimeZone, timeZoneNames, zoneRulesOf } from '../../adapters/time-zones/zone-rules.ts';
import { freezeOf } from '../../core/schedule/freezes.ts';
import { horizonMs } from '../../core/schedule/schedule.ts';
import { printable } from '../../core/text/printable.ts';
import type { CalendarFile, PolicySurroundings } from '../../policy-file/check-schedule.ts';

/** What a policy file may refer to: time zones, and calendar files in relation to its own folder. `-` is in the working directory. */
export function surroundingsOf(policyPath: string, now = Date.now()): PolicySurroundings {
  const folder = policyPath === '-' ? '.' : dirname(policyPath);
  return {
    isTimeZone,
    timeZoneNames,
    readCalendarFile: (path, timeZone) => readCalendarFile(resolve(folder, path), timeZone, now),
  };
}

function readCalendarFile(path: string, timeZone: string, now: number): CalendarFile {
  const shown = printable(path, 200);
  const text = readText(path);
  if (text === undefined) {
    const allowed = 'a readable iCalendar file of at most 1 MiB, by its path relative to the policy';
    return { ok: false, message: `${shown} can't be read`, allowed };
  }
  const zone = zoneRulesOf(timeZone);
  const read = parseCalendar(text, {
    calendar: basename(path),
    zone,
    zoneOf: findZoneRules,
    from: now,
    to: now + horizonMs,
  });
  if (read.ok) return { ok: true, freezes: read.events.map((event) => freezeOf(event, zone)) };
  const place = read.line === undefined ? shown : `${shown}:${read.line}`;
  return { ok: false, message: `${place}: ${read.reason}`, allowed: 'an iCalendar (RFC 5545) of at most 1 MiB' };
}

/** The text of a file. Undefined if it can't be read or is too long. */
function readText(path: string): string | undefined {
  try {
    const file = statSync(path);
    return file.isFile() && file.size <= maxCalendarBytes ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
