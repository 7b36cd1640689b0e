import type { FreezePeriod } from '../core/schedule/schedule.ts';
import type { ZoneRules } from '../core/schedule/zone.ts';

/** What upgrade windows need from outside: the rules of time zones, and calendars. */
export interface Windows {
  /** @throws NodeferryError InvalidPolicy for a zone that this worker does not know */
  zoneOf(timeZone: string): ZoneRules;
  /**
   * The events of an iCalendar that overlap a period (epoch ms), as freezes. All-day events and times without a zone are read in `zone`.
   * @throws NodeferryError when it can't be read
   */
  readCalendar(
    url: string,
    question: { readonly zone: ZoneRules; readonly from: number; readonly to: number },
  ): Promise<readonly FreezePeriod[]>;
}
