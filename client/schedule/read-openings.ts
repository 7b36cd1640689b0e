import { zoneRulesOf } from '../../adapters/time-zones/zone-rules.ts';
import { findOpenings, type Openings } from './openings.ts';
import type { ScheduledPolicy } from './scheduled-policy.ts';

/**
 * Finds out when the pool of a policy may be upgraded, with the time zone data of this computer. Calendars at an address are the worker's to
 * read: this computer may not reach them.
 * @throws NodeferryError InvalidPolicy for a time zone that does not exist
 */
export function readOpenings(policy: ScheduledPolicy, now: number): Openings {
  const { timeZone, calendars } = policy.schedule;
  const unread = calendars.flatMap((calendar) => ('url' in calendar ? [calendar.url] : []));
  return findOpenings(policy, { zone: zoneRulesOf(timeZone), calendars: { periods: [], unread }, now });
}
