import type { ScheduleDescription } from '@temporalio/client';
import { diffPolicies } from '../../core/policy/diff-policies.ts';
import type { PolicyDifference } from '../../core/policy/policy-difference.ts';
import type { TemporalCalendar } from '../../core/schedule/temporal-spec.ts';
import { formatDuration } from '../../core/text/format.ts';
import type { ScheduleSettings } from './schedule-settings.ts';
import type { ScheduledPolicy } from './scheduled-policy.ts';
import type { StoredSchedule } from './schedules.ts';

/**
 * Finds what differs between a schedule as Temporal has it and as it should be: fields of the policy, and settings that do not come from the
 * policy alone, which somebody may have changed by hand.
 */
export function diffStored(
  { description, policy: storedPolicy }: StoredSchedule,
  policy: ScheduledPolicy,
  settings: ScheduleSettings,
): readonly PolicyDifference[] {
  const differences = diffPolicies(storedPolicy, policy);
  const { overlap, catchupWindow, pauseOnFailure } = description.policies;
  const wanted = settings.policies;
  const others = [
    { field: 'task queue', from: description.action.taskQueue, to: settings.action.taskQueue },
    { field: 'overlap policy', from: String(overlap), to: wanted.overlap },
    { field: 'catch-up window', from: formatDuration(catchupWindow), to: formatDuration(wanted.catchupWindow) },
    { field: 'pause on failure', from: String(pauseOnFailure), to: String(wanted.pauseOnFailure) },
  ].filter(({ from, to }) => from !== to);
  const all = [...differences, ...others];
  if (all.some(({ field }) => field.startsWith('schedule.')) || hasTimes(description, settings)) return all;
  return [...all, { field: 'times in Temporal', from: 'outdated, or changed by hand', to: 'as in the policy' }];
}

/**
 * Whether a schedule fires when it should. With the same policy that changes over time: openings that clock changes move are dates, for ten
 * years ahead, and countries change their rules.
 */
function hasTimes({ spec }: ScheduleDescription, { spec: wanted }: ScheduleSettings): boolean {
  const stored = (spec.calendars ?? []).map(signatureOfStored).toSorted();
  const right = wanted.calendars.map(signatureOf).toSorted();
  return spec.timezone === wanted.timezone && JSON.stringify(stored) === JSON.stringify(right);
}

function signatureOf(calendar: TemporalCalendar): string {
  const { year, month, dayOfMonth = [], dayOfWeek = [], hour, minute } = calendar;
  const one = <T>(value: T | undefined) => (value === undefined ? [] : [{ start: value, end: value }]);
  return JSON.stringify([
    one(year),
    one(month),
    dayOfMonth.map(({ start, end }) => ({ start, end })),
    dayOfWeek.flatMap(one),
    one(hour),
    one(minute),
    one(0),
  ]);
}

type StoredCalendar = NonNullable<ScheduleDescription['spec']['calendars']>[number];

function signatureOfStored(calendar: StoredCalendar): string {
  const { year, month, dayOfMonth, dayOfWeek, hour, minute, second } = calendar;
  return JSON.stringify([
    rangesOf(year),
    rangesOf(month, 'JANUARY', 'DECEMBER'),
    rangesOf(dayOfMonth, 1, 31),
    rangesOf(dayOfWeek, 'SUNDAY', 'SATURDAY'),
    rangesOf(hour),
    rangesOf(minute),
    rangesOf(second),
  ]);
}

/** The ranges of a field. Temporal returns a field that was absent as the range of all its values. */
function rangesOf<T>(ranges: readonly { readonly start: T; readonly end: T }[], first?: T, last?: T) {
  const [only, ...others] = ranges;
  const isAny = others.length === 0 && first !== undefined && only?.start === first && only.end === last;
  return isAny ? [] : ranges.map(({ start, end }) => ({ start, end }));
}
