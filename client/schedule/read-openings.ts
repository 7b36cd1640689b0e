import { createCalendarReader } from '../../adapters/calendar/fetch-calendar.ts';
import { readEvents } from '../../adapters/calendar/read-events.ts';
import { findZoneRules, zoneRulesOf } from '../../adapters/time-zones/zone-rules.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { type FreezePeriod, horizonMs } from '../../core/schedule/schedule.ts';
import type { ZoneRules } from '../../core/schedule/zone.ts';
import { type CalendarFreezes, findOpenings, type Openings } from './openings.ts';
import type { ScheduledPolicy } from './scheduled-policy.ts';

/** How long this computer may take to read a calendar, ms. It may not reach what the worker reaches. */
const calendarTimeoutMs = 5000;

const reader = createCalendarReader(calendarTimeoutMs);

/** What this command has read already: many schedules may have the same calendar. */
const texts = new Map<string, Promise<string>>();

/**
 * Finds out when the pool of a policy may be upgraded from `now` on (epoch ms), with the time zone data of this computer and the calendars
 * that it can read.
 * @throws NodeferryError InvalidPolicy for a time zone that does not exist
 */
export async function readOpenings(policy: ScheduledPolicy, now: number): Promise<Openings> {
  const zone = zoneRulesOf(policy.schedule.timeZone);
  return findOpenings(policy, { zone, calendars: await readCalendars(policy, zone, now), now });
}

async function readCalendars({ schedule }: ScheduledPolicy, zone: ZoneRules, now: number): Promise<CalendarFreezes> {
  const urls = schedule.calendars.flatMap((calendar) => ('url' in calendar ? [calendar.url] : []));
  const read = await Promise.all(urls.map(async (url) => await readCalendar(url, zone, now)));
  return {
    periods: read.flatMap((one) => ('events' in one ? one.events : [])),
    unread: read.flatMap((one) => ('reason' in one ? [one] : [])),
  };
}

async function readCalendar(
  url: string,
  zone: ZoneRules,
  now: number,
): Promise<{ readonly events: readonly FreezePeriod[] } | { readonly calendar: string; readonly reason: string }> {
  try {
    const question = { zone, zoneOf: findZoneRules, from: now - horizonMs, to: now + horizonMs };
    return { events: await readEvents({ read: readText }, url, question) };
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    return { calendar: url, reason: error.problem.message };
  }
}

async function readText(url: string): Promise<string> {
  const known = texts.get(url) ?? reader.read(url);
  texts.set(url, known);
  return await known;
}
