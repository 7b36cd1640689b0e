import { NodeferryError } from '../../core/model/problem.ts';
import type { FreezePeriod } from '../../core/schedule/schedule.ts';
import type { CalendarReader } from './fetch-calendar.ts';
import { type CalendarQuestion, parseCalendar } from './parse-calendar.ts';

/**
 * The events of the calendar at an address, which is named by its host.
 * @throws NodeferryError ProviderUnavailable with the reason, when it can't be read or used
 */
export async function readEvents(
  reader: CalendarReader,
  url: string,
  question: Omit<CalendarQuestion, 'calendar'>,
): Promise<readonly FreezePeriod[]> {
  const parsed = parseCalendar(await reader.read(url), { ...question, calendar: new URL(url).host });
  if (parsed.ok) return parsed.events;
  const place = parsed.line === undefined ? '' : `line ${parsed.line}: `;
  throw new NodeferryError({
    code: 'ProviderUnavailable',
    message: `The calendar ${url} can't be used: ${place}${parsed.reason}.`,
    hint: 'Fix the calendar, or remove it from spec.schedule.calendars.',
  });
}
