import { describeWindow, formatLocal } from '../schedule/describe-schedule.ts';
import type { Freeze, SchedulePolicy, WindowRule } from '../schedule/schedule.ts';
import { formatDuration } from '../text/format.ts';
import type { Policy } from './policy.ts';

/** A field in which two policies differ, and its values in words. A value is absent where the field is. */
export interface PolicyDifference {
  /** Path of the field after parsing, e.g. `guard.maxInFlight` or `schedule.windows[1]`. */
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/** Longer values are cut, in code units. */
const maxText = 100;

/** Finds the fields in which two policies differ, in the order of the later one. Fields that are undefined count as absent. */
export function diffPolicies(from: Policy, to: Policy): readonly PolicyDifference[] {
  return diff('', from, to);
}

function diff(field: string, from: unknown, to: unknown): readonly PolicyDifference[] {
  if (isLeaf(field, from) || isLeaf(field, to)) {
    const [before, after] = [formatValue(field, from), formatValue(field, to)];
    if (stable(from) === stable(to)) return [];
    return [
      { field, ...(before === undefined ? {} : { from: before }), ...(after === undefined ? {} : { to: after }) },
    ];
  }
  const [before, after] = [entriesOf(from), entriesOf(to)];
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((key) =>
    diff(pathOf(field, key, to), before.get(key), after.get(key)),
  );
}

/** Windows, freezes and limits are compared as a whole: their fields mean little alone. So is whatever only one policy has. */
function isLeaf(field: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return isWindow(field) || isFreeze(field) || formatLimit(value) !== undefined;
}

/** A limit as it is written, `3` or `80%`: a number of something, or a share. Undefined for anything else. */
function formatLimit(value: unknown): string | undefined {
  const [only, ...others] = entriesOf(value);
  if (only === undefined || others.length > 0) return undefined;
  const [key, number] = only;
  if (typeof number !== 'number') return undefined;
  if (key === 'share') return `${number * 100}%`;
  return key === 'targets' || key === 'instances' ? String(number) : undefined;
}

function isWindow(field: string): boolean {
  return /^schedule\.windows\[\d+\]$/.test(field);
}

function isFreeze(field: string): boolean {
  return /^schedule\.freezes\[\d+\]$/.test(field);
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(([, one]) => one !== undefined),
  );
}

function pathOf(field: string, key: string, parent: unknown): string {
  if (Array.isArray(parent)) return `${field}[${key}]`;
  // Names of Services have dots of their own.
  const step = /^\w+$/.test(key) ? key : JSON.stringify(key);
  return field === '' ? step : `${field}.${step}`;
}

function formatValue(field: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (isWindow(field)) return describeWindow(value as WindowRule, '').trimEnd();
  if (isFreeze(field)) return formatFreeze(value as Freeze);
  if (field.endsWith('Ms') && typeof value === 'number') return formatDuration(value);
  if (field === 'schedule') return formatSchedule(value as SchedulePolicy);
  const text = formatLimit(value) ?? (typeof value === 'string' ? value : stable(value));
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

function formatFreeze({ name, from, to }: Freeze): string {
  return `${name}, ${formatLocal(from)} to ${formatLocal(to)}`;
}

function formatSchedule({ windows, timeZone }: SchedulePolicy): string {
  return windows.map((window) => describeWindow(window, timeZone)).join('; ');
}

/** JSON with sorted keys: the order of the fields of a policy means nothing. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const entries = [...entriesOf(value)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${stable(one)}`).join(',')}}`;
}
