import ICAL from 'ical.js';
import { firstInstantAtOrAfter, type LocalTime, lastInstantAt, type ZoneRules } from '../../core/schedule/zone.ts';
import { printable } from '../../core/text/printable.ts';

/** The zones in which the times of a calendar are read. */
export interface CalendarZones {
  /** For times without a zone, and for events that last all day: the zone of the schedule. */
  readonly zone: ZoneRules;
  /** For times with a zone that the calendar does not define: its rules by IANA name. Undefined if there is no such zone. */
  readonly zoneOf: (name: string) => ZoneRules | undefined;
}

/**
 * The instant (epoch ms) of a time in a calendar, or what is wrong with it. The property it comes from has its zone. Of a time that clocks
 * show twice it is the first, or the last where an event ends.
 */
export function instantOf(
  time: ICAL.Time,
  property: ICAL.Property | null,
  zones: CalendarZones,
  which: 'first' | 'last' = 'first',
): number | string {
  const local = localTime(time);
  if (local === undefined) return `'${printable(String(time), 40)}' is no date or time`;
  if (isAbsolute(time)) return time.toUnixTime() * 1000;
  const rules = zoneOf(time, property, zones);
  if (typeof rules === 'string') return rules;
  return which === 'first' ? firstInstantAtOrAfter(rules, local) : lastInstantAt(rules, local);
}

/**
 * The end of a rule as the library compares it with occurrences: in the local time of its event. Rules end in UTC (RFC 5545, 3.3.10), and the
 * library knows only the zones that the calendar defines.
 */
export function localUntil(until: ICAL.Time | null, event: ICAL.Component, zones: CalendarZones): ICAL.Time | null {
  const property = event.getFirstProperty('dtstart');
  const start = property?.getFirstValue();
  if (until === null || property === null || !(start instanceof ICAL.Time)) return until;
  if (!isAbsolute(until) || isAbsolute(start)) return until;
  const rules = zoneOf(start, property, zones);
  if (typeof rules === 'string') return until;
  return new ICAL.Time({ ...rules.toLocal(until.toUnixTime() * 1000), isDate: start.isDate }, start.zone);
}

/** Whether the library knows the instant of a time: it is in UTC, or in a zone that the calendar defines. */
function isAbsolute(time: ICAL.Time): boolean {
  return !time.isDate && time.zone !== ICAL.Timezone.localTimezone;
}

function zoneOf(
  time: ICAL.Time,
  property: ICAL.Property | null,
  { zone, zoneOf: byName }: CalendarZones,
): ZoneRules | string {
  const name: unknown = property?.getParameter('tzid');
  if (time.isDate || typeof name !== 'string') return zone;
  return byName(name) ?? `the calendar does not define its time zone '${printable(name, 64)}', and it is no IANA name`;
}

function localTime({ year, month, day, hour, minute, second }: ICAL.Time): LocalTime | undefined {
  const numbers = [year, month, day, hour, minute, second];
  const isTime = numbers.every(Number.isInteger) && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isTime ? { year, month, day, hour, minute, second } : undefined;
}
