import { IANAZone } from 'luxon';
import type { LocalTime, ZoneRules } from '../../../core/schedule/zone.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Zones with half-hour clock changes, changes at midnight, a skipped day, odd offsets, changes all over the year, and none. */
export const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Asuncion',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Chatham',
  'UTC',
];

/** A second implementation of the rules of a zone, which shares nothing with the product's: it tries all offsets of the days around. */
export function luxonZone(timeZone: string): ZoneRules {
  const offsetAt = offsetsOf(timeZone);
  return {
    toLocal(instant) {
      const date = new Date(instant + offsetAt(instant));
      return {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
        hour: date.getUTCHours(),
        minute: date.getUTCMinutes(),
        second: date.getUTCSeconds(),
      };
    },
    toInstants(local: LocalTime) {
      const wall = Date.UTC(local.year, local.month - 1, local.day, local.hour, local.minute, local.second);
      const offsets = new Set([-26, -13, 0, 13, 26].map((hours) => offsetAt(wall + hours * hourMs)));
      const instants = [...offsets].map((offset) => wall - offset);
      return instants.filter((at) => at + offsetAt(at) === wall).sort((a, b) => a - b);
    },
  };
}

/** The offset of a zone at an instant, ms, as luxon has it. Days without a clock change are remembered, because luxon is slow. */
function offsetsOf(timeZone: string): (instant: number) => number {
  const zone = IANAZone.create(timeZone);
  const offsets = new Map<number, number | undefined>();
  return (instant) => {
    const day = Math.floor(instant / dayMs);
    if (!offsets.has(day)) {
      const [first, last] = [zone.offset(day * dayMs), zone.offset((day + 1) * dayMs)];
      offsets.set(day, first === last ? first * 60_000 : undefined);
    }
    return offsets.get(day) ?? zone.offset(instant) * 60_000;
  };
}

/** Midnights UTC before a day on which the clocks of a zone change, 2005 to 2035. */
export function daysOfChange(timeZone: string): readonly number[] {
  const zone = IANAZone.create(timeZone);
  const days: number[] = [];
  for (let day = Date.UTC(2005, 0, 1); day < Date.UTC(2035, 0, 1); day += dayMs) {
    if (zone.offset(day) !== zone.offset(day + dayMs)) days.push(day);
  }
  return days;
}
