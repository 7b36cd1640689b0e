import { formatLongDuration } from '../text/format.ts';
import { type Weekday, type WindowRule, weekdays } from './schedule.ts';
import type { WindowState } from './window-state.ts';
import { type LocalTime, wallClockMs, type ZoneRules } from './zone.ts';

const dayMs = 86_400_000;

/** Describes a window on one line: `Mon-Thu 22:00-04:00 Europe/Berlin`, `first and last Sat 00:00-24:00 UTC`. */
export function describeWindow({ days, weeks, startMinute, endMinute }: WindowRule, timeZone: string): string {
  const on = weeks === undefined ? describeDays(days) : `${weeks.join(' and ')} ${describeDays(days)}`;
  return `${on} ${formatMinute(startMinute)}-${formatEnd(endMinute)} ${timeZone}`;
}

/** Days as people write them: three and more in a row as `Mon-Thu`, also over the weekend. */
function describeDays(days: readonly Weekday[]): string {
  if (days.length === weekdays.length) return 'daily';
  const open = weekdays.map((day) => days.includes(day));
  const runs: string[] = [];
  for (const [first, day] of weekdays.entries()) {
    if (open[first] !== true || open[(first + 6) % 7] === true) continue;
    let length = 1;
    while (open[(first + length) % 7] === true) length += 1;
    const row = Array.from({ length }, (_, index) => weekdays[(first + index) % 7] ?? day);
    runs.push(length > 2 ? `${day}-${row.at(-1)}` : row.join(', '));
  }
  return runs.join(', ');
}

/** A day ends at 24:00, not at the 00:00 of the next. */
function formatEnd(minute: number): string {
  return minute === 1440 ? '24:00' : formatMinute(minute % 1440);
}

function formatMinute(minute: number): string {
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

/** Describes whether a window is open: `open until Tue 04:00 (in 2h 10m)`, `opens Mon 22:00 (in 3d 4h)`. `now` is epoch ms. */
export function describeWindowState(state: WindowState, now: number, zone: ZoneRules): string {
  if (state.open) return state.until === undefined ? 'open' : `open until ${formatWhen(state.until, now, zone)}`;
  const reason = state.freeze === undefined ? '' : `, freeze ${state.freeze}`;
  if (state.opensAt === undefined) return `closed, and no window opens within 400 days${reason}`;
  return `opens ${formatWhen(state.opensAt, now, zone)}${reason}`;
}

/** An instant (epoch ms) after `now` in local time: `Mon 22:00 (in 3d 4h)`, with its date if it is almost a week away or more. */
export function formatWhen(at: number, now: number, zone: ZoneRules): string {
  const local = zone.toLocal(at);
  const weekday = weekdays[(Math.floor(wallClockMs(local) / dayMs) + 3) % 7] ?? '';
  const day = at - now < 6 * dayMs ? weekday : `${weekday} ${formatDate(local)}`;
  return `${day} ${formatTimeOfDay(local)} (in ${formatLongDuration(at - now)})`;
}

/** `2027-03-28 02:30` */
export function formatLocal(local: LocalTime): string {
  return `${formatDate(local)} ${formatTimeOfDay(local)}`;
}

/** `02:30` */
export function formatTimeOfDay({ hour, minute }: LocalTime): string {
  return `${pad(hour)}:${pad(minute)}`;
}

function formatDate({ year, month, day }: LocalTime): string {
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
