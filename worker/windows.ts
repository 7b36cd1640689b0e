import { createCalendarReader } from '../adapters/calendar/fetch-calendar.ts';
import { parseCalendar } from '../adapters/calendar/parse-calendar.ts';
import { isTimeZone, zoneRulesOf } from '../adapters/time-zones/zone-rules.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ZoneRules } from '../core/schedule/zone.ts';
import type { Windows } from '../ports/windows.ts';

/** The rules of a zone that a calendar names; undefined if there is no such zone. */
function zoneOf(name: string): ZoneRules | undefined {
  return isTimeZone(name) ? zoneRulesOf(name) : undefined;
}

/** Time zones of this Node, and calendars from their addresses. */
export function createWindows(): Windows {
  const reader = createCalendarReader();
  return {
    zoneOf: zoneRulesOf,
    readCalendar: async (url, { zone, from, to }) => {
      const calendar = new URL(url).host;
      const parsed = parseCalendar(await reader.read(url), { calendar, zone, zoneOf, from, to });
      if (parsed.ok) return parsed.events;
      throw new NodeferryError({
        code: 'ProviderUnavailable',
        message: `The calendar ${url} can't be used: ${parsed.line === undefined ? '' : `line ${parsed.line}: `}${parsed.reason}.`,
        hint: 'Fix the calendar, or remove it from spec.schedule.calendars.',
      });
    },
  };
}
