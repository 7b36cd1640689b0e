import ICAL from 'ical.js';
import type { FreezePeriod } from '../../core/schedule/schedule.ts';
import { printable } from '../../core/text/printable.ts';
import { runBounded } from './bounded.ts';
import { type CalendarFault, checkLines } from './check-lines.ts';
import { type CalendarZones, instantOf, localUntil } from './event-time.ts';

/** Which events of a calendar are wanted. */
export interface CalendarQuestion extends CalendarZones {
  /** Name of the calendar, which is added to those of its events: `Black Friday (freezes.ics)`. */
  readonly calendar: string;
  /** Events that end after this instant, epoch ms. */
  readonly from: number;
  /** Events that begin before this instant, epoch ms. */
  readonly to: number;
}

/** The events of a calendar, ascending, or why it can't be used. */
type CalendarResult =
  | { readonly ok: true; readonly events: readonly FreezePeriod[] }
  | ({ readonly ok: false } & CalendarFault);

/** The longest text that is read as a calendar, bytes. */
export const maxCalendarBytes = 1_048_576;

/** The most occurrences that are counted in one calendar: an event every day for fifty years has 18,000. */
const maxOccurrences = 50_000;

/** The most events that a calendar may have between two instants. */
const maxEvents = 1000;

/** How long reading may take, ms, during which the process does nothing else. A calendar of 1 MiB takes a few hundred. */
const maxParseMs = 3000;

/** Rules that repeat within a day would close every window, and take forever to count. */
const refusedFrequencies: readonly string[] = ['SECONDLY', 'MINUTELY', 'HOURLY'];

/**
 * Finds the events of an iCalendar (RFC 5545) between two instants, repeated ones included. Events that are cancelled or shown as free
 * (`TRANSP:TRANSPARENT`) and events without a duration are left out. Times without a zone are read in the zone of the schedule, and an event
 * that lasts all day ends with its last day. A calendar that takes longer than `maxMs` to read is refused.
 */
export function parseCalendar(text: string, question: CalendarQuestion, maxMs = maxParseMs): CalendarResult {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxCalendarBytes)
    return refuse(undefined, `it has ${(bytes / 1_048_576).toFixed(1)} MiB; at most 1 MiB is read`);
  const plain = text.replace(/^\uFEFF/, '');
  const checked = checkLines(plain);
  if (!checked.ok) return checked;
  const parsed = runBounded(() => parseEvents(plain, checked.eventLines, question), maxMs);
  return parsed ?? refuse(undefined, 'it takes too long to read: a rule may repeat at times that never come');
}

function refuse(line: number | undefined, reason: string): { readonly ok: false } & CalendarFault {
  return { ok: false, line, reason };
}

function parseEvents(text: string, eventLines: readonly number[], question: CalendarQuestion): CalendarResult {
  const events: FreezePeriod[] = [];
  const budget = { occurrences: maxOccurrences };
  let index = 0;
  try {
    for (const calendar of readComponents(text)) {
      const all = calendar.getAllSubcomponents('vevent');
      for (const component of all) {
        const fault = addEvent(component, all, { question, events, budget });
        if (fault !== undefined) return refuse(eventLines[index], fault);
        index += 1;
      }
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return refuse(eventLines[index], printable(error.message, 200));
  }
  return { ok: true, events: events.toSorted((a, b) => a.from - b.from) };
}

function readComponents(text: string): readonly ICAL.Component[] {
  const parsed: unknown = ICAL.parse(text);
  // One calendar is a component of jCal (RFC 7265), whose first item is its name; several are a list of them.
  if (!Array.isArray(parsed)) return [];
  const all: readonly unknown[] = typeof parsed[0] === 'string' ? [parsed] : parsed;
  return all.filter(Array.isArray).map((one) => new ICAL.Component(one));
}

interface Reading {
  readonly question: CalendarQuestion;
  readonly events: FreezePeriod[];
  /** How many more occurrences are counted. */
  readonly budget: { occurrences: number };
}

/** Adds the occurrences of one event. Returns what is wrong with it, if anything. */
function addEvent(component: ICAL.Component, all: readonly ICAL.Component[], reading: Reading): string | undefined {
  if (!component.hasProperty('dtstart')) return 'the event has no DTSTART';
  const isException = component.hasProperty('recurrence-id');
  const uid = component.getFirstPropertyValue('uid');
  const exceptions = all.filter(
    (one) => !isException && one.hasProperty('recurrence-id') && one.getFirstPropertyValue('uid') === uid,
  );
  const event = new ICAL.Event(component, { exceptions, strictExceptions: false });
  if (isException || !event.isRecurring()) return addPeriod(event, event.startDate, event.endDate, reading);
  return addOccurrences(event, reading);
}

function addOccurrences(event: ICAL.Event, reading: Reading): string | undefined {
  const { question, budget } = reading;
  for (const property of event.component.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof ICAL.Recur)) return 'its RRULE is no rule';
    if (refusedFrequencies.includes(rule.freq))
      return `an event that repeats ${rule.freq} can't be a freeze; use DAILY`;
    rule.until = localUntil(rule.until, event.component, question);
  }
  const iterator = event.iterator();
  for (let next = iterator.next(); next; next = iterator.next()) {
    budget.occurrences -= 1;
    if (budget.occurrences < 0) return `the calendar has more than ${maxOccurrences} occurrences`;
    const begins = instantOf(next, event.component.getFirstProperty('dtstart'), question);
    if (typeof begins === 'string') return begins;
    if (begins >= question.to) break;
    // An occurrence that was changed is an event of its own.
    if (isChanged(event, next)) continue;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    const fault = addPeriod(item, startDate, endDate, reading);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Whether an exception has the time of this occurrence, in its own zone or in UTC. */
function isChanged(event: ICAL.Event, occurrence: ICAL.Time): boolean {
  const utc = occurrence.convertToZone(ICAL.Timezone.utcTimezone);
  return [occurrence, utc].some((time) => time.toString() in event.exceptions);
}

function addPeriod(event: ICAL.Event, start: ICAL.Time, end: ICAL.Time, reading: Reading): string | undefined {
  const { component } = event;
  const { question, events } = reading;
  const isCancelled = String(component.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED';
  const isFree = String(component.getFirstPropertyValue('transp')).toUpperCase() === 'TRANSPARENT';
  if (isCancelled || isFree) return undefined;
  const startProperty = component.getFirstProperty('dtstart');
  const from = instantOf(start, startProperty, question);
  if (typeof from === 'string') return from;
  const to = instantOf(end, component.getFirstProperty('dtend') ?? startProperty, question, 'last');
  if (typeof to === 'string') return to;
  if (from >= to || to <= question.from || from >= question.to) return undefined;
  if (events.length >= maxEvents)
    return `the calendar has more than ${maxEvents} events between now and ${dateOf(question.to)}`;
  events.push({ name: `${printable(event.summary ?? 'event', 60)} (${question.calendar})`, from, to });
  return undefined;
}

function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
