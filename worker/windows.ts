import { createCalendarReader } from '../adapters/calendar/fetch-calendar.ts';
import { readEvents } from '../adapters/calendar/read-events.ts';
import { findZoneRules, zoneRulesOf } from '../adapters/time-zones/zone-rules.ts';
import type { Windows } from '../ports/windows.ts';

/** Time zones of this Node, and calendars from their addresses. */
export function createWindows(): Windows {
  const reader = createCalendarReader();
  return {
    zoneOf: zoneRulesOf,
    readCalendar: async (url, question) => await readEvents(reader, url, { ...question, zoneOf: findZoneRules }),
  };
}
