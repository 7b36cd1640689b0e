import { describeWindow, formatLocal } from '../schedule/describe-schedule.ts';
import type { CalendarSource, Freeze, SchedulePolicy } from '../schedule/schedule.ts';
import { differenceOf, type PolicyDifference } from './policy-difference.ts';

/** Finds the fields in which two schedules differ. Either may be absent. */
export function diffSchedules(
  from: SchedulePolicy | undefined,
  to: SchedulePolicy | undefined,
): readonly PolicyDifference[] {
  const differs = [
    ...diffWindows(from, to),
    ...diffLists('schedule.freezes', from?.freezes.map(formatFreeze), to?.freezes.map(formatFreeze)),
    ...diffLists('schedule.calendars', from?.calendars.map(formatCalendar), to?.calendars.map(formatCalendar)),
  ];
  if (from?.timeZone === to?.timeZone) return differs;
  return [differenceOf('schedule.timeZone', from?.timeZone, to?.timeZone), ...differs];
}

/** Windows are compared one by one: their order is the policy's own. */
function diffWindows(from: SchedulePolicy | undefined, to: SchedulePolicy | undefined): readonly PolicyDifference[] {
  const length = Math.max(from?.windows.length ?? 0, to?.windows.length ?? 0);
  return Array.from({ length }, (_, index) =>
    differenceOf(`schedule.windows[${index}]`, formatWindow(from, index), formatWindow(to, index)),
  ).filter((one) => one.from !== one.to);
}

function formatWindow(schedule: SchedulePolicy | undefined, index: number): string | undefined {
  const window = schedule?.windows[index];
  return window === undefined ? undefined : describeWindow(window, '').trimEnd();
}

/** Freezes come and go with the events of calendar files, so their positions mean nothing. */
function diffLists(
  field: string,
  from: readonly string[] = [],
  to: readonly string[] = [],
): readonly PolicyDifference[] {
  const removed = from.filter((one) => !to.includes(one)).map((one) => differenceOf(field, one, undefined));
  const added = to.filter((one) => !from.includes(one)).map((one) => differenceOf(field, undefined, one));
  return [...removed, ...added];
}

/** `Christmas: 2026-12-18 00:00 to 2027-01-07 00:00` */
export function formatFreeze({ name, from, to }: Freeze): string {
  return `${name}: ${formatLocal(from)} to ${formatLocal(to)}`;
}

/** The path or the address of a calendar. */
export function formatCalendar(calendar: CalendarSource): string {
  return 'url' in calendar ? calendar.url : calendar.file;
}
