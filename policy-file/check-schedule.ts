import type { CalendarSource, Freeze, SchedulePolicy } from '../core/schedule/schedule.ts';
import { printable } from '../core/text/printable.ts';
import { suggest } from '../core/text/suggest.ts';
import type { PolicyProblem } from './policy-problem.ts';
import { keyOffset, nodeAt, type Path, placeAt, type Source, startOf } from './read-yaml.ts';

/** What only the place that reads a policy file knows: the time zones, and other files. */
export interface PolicySurroundings {
  readonly isTimeZone: (name: string) => boolean;
  /** Names to suggest. */
  readonly timeZoneNames: () => readonly string[];
  /** Reads an iCalendar file, by its path relative to the policy. Its events are freezes in local time of the zone. */
  readonly readCalendarFile: (path: string, timeZone: string) => CalendarFile;
}

/** The events of a calendar file, or why it can't be used. */
export type CalendarFile =
  | { readonly ok: true; readonly freezes: readonly Freeze[] }
  | { readonly ok: false; readonly message: string; readonly allowed: string };

/** The most freezes of a schedule: they are part of the input of a workflow, which may have 2 MB, and each takes 200 bytes. */
const maxFreezes = 1000;

/** A schedule in which the events of calendar files are freezes, or the problems with it. */
type CheckedSchedule =
  | { readonly ok: true; readonly schedule: SchedulePolicy }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/** Checks the time zone of a schedule, and reads its calendar files, so that a worker needs none of them. */
export function checkSchedule(
  source: Source,
  schedule: SchedulePolicy,
  surroundings: PolicySurroundings,
): CheckedSchedule {
  const { timeZone } = schedule;
  if (!surroundings.isTimeZone(timeZone)) {
    const message = `there is no time zone '${printable(timeZone)}'`;
    const problem = problemAt(source, ['spec', 'schedule', 'timeZone'], 'spec.schedule.timeZone', message);
    const suggestion = suggestTimeZone(timeZone, surroundings.timeZoneNames());
    const allowed = 'the IANA name of a time zone, such as Europe/Berlin or UTC';
    return { ok: false, problems: [{ ...problem, allowed, ...(suggestion === undefined ? {} : { suggestion }) }] };
  }
  const problems: PolicyProblem[] = [];
  const freezes: Freeze[] = [...schedule.freezes];
  const calendars: CalendarSource[] = [];
  for (const [index, calendar] of schedule.calendars.entries()) {
    if (!('file' in calendar)) {
      calendars.push(calendar);
      continue;
    }
    const read = surroundings.readCalendarFile(calendar.file, timeZone);
    if (read.ok) {
      freezes.push(...read.freezes);
      continue;
    }
    const path = ['spec', 'schedule', 'calendars', index, 'file'];
    const problem = problemAt(source, path, `spec.schedule.calendars[${index}].file`, read.message);
    problems.push({ ...problem, allowed: read.allowed });
  }
  if (problems.length === 0 && freezes.length > maxFreezes) {
    const message = `the schedule has ${freezes.length} freezes, with those of its calendar files`;
    const problem = problemAt(source, ['spec', 'schedule', 'calendars'], 'spec.schedule.calendars', message);
    problems.push({ ...problem, allowed: `at most ${maxFreezes} freezes; use the url of a calendar for more` });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, schedule: { ...schedule, freezes, calendars } };
}

function problemAt(source: Source, path: Path, field: string, message: string): PolicyProblem {
  const node = nodeAt(source, path);
  return placeAt(source, node === undefined ? keyOffset(source, path) : startOf(node), field, message);
}

/** The zone that the user most likely meant: similar in spelling, or named after the same city. */
function suggestTimeZone(found: string, names: readonly string[]): string | undefined {
  const city = found.split('/').at(-1)?.toLowerCase();
  return suggest(found, names) ?? names.find((name) => name.split('/').at(-1)?.toLowerCase() === city);
}
