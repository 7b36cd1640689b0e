import { zoneRulesOf } from '../../../adapters/time-zones/zone-rules.ts';
import { type Freeze, type WindowRule, weekdays } from '../../../core/schedule/schedule.ts';
import type { ScheduleFacts } from '../../../core/schedule/windows.ts';

/** A window that opens every day, unless more is said: `aWindow('22:00', '04:00', { days: ['Mon'] })`. */
export function aWindow(start: string, end: string, rule: Partial<WindowRule> = {}): WindowRule {
  const [startMinute, endMinute] = [minutesOf(start), minutesOf(end)];
  return { days: weekdays, startMinute, endMinute: endMinute > startMinute ? endMinute : endMinute + 1440, ...rule };
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
}

/** A schedule with the rules of its zone. */
export function aSchedule(
  timeZone: string,
  windows: readonly WindowRule[],
  freezes: readonly Freeze[] = [],
): ScheduleFacts {
  return { schedule: { timeZone, windows, freezes, calendars: [] }, freezes: [], zone: zoneRulesOf(timeZone) };
}

/** A freeze between two days in local time; the second is not part of it. */
export function aFreeze(name: string, from: string, to: string): Freeze {
  return { name, from: dayOf(from), to: dayOf(to) };
}

function dayOf(text: string) {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return { year, month, day, hour: 0, minute: 0, second: 0 };
}

/** Epoch ms of an instant in UTC: `utc('2026-10-24T20:00')`. */
export function utc(text: string): number {
  return Date.parse(`${text}:00Z`);
}
