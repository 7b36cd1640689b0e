import { formatDuration } from '../text/format.ts';
import type { Policy } from './policy.ts';
import { differenceOf, type PolicyDifference } from './policy-difference.ts';
import { diffSchedules } from './schedule-differences.ts';

/** Longer values are cut, in code units. */
const maxText = 100;

/** Finds the fields in which two policies differ. Fields that are undefined count as absent, and the order of the fields does not matter. */
export function diffPolicies(from: Policy, to: Policy): readonly PolicyDifference[] {
  const [{ schedule: fromSchedule, ...fromRest }, { schedule: toSchedule, ...toRest }] = [from, to];
  return [...diff('', fromRest, toRest), ...diffSchedules(fromSchedule, toSchedule)];
}

function diff(field: string, from: unknown, to: unknown): readonly PolicyDifference[] {
  if (isLeaf(from) || isLeaf(to)) {
    if (stable(from) === stable(to)) return [];
    return [differenceOf(field, formatValue(field, from), formatValue(field, to))];
  }
  const [before, after] = [entriesOf(from), entriesOf(to)];
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((key) =>
    diff(pathOf(field, key, to), before.get(key), after.get(key)),
  );
}

/** Limits are compared as a whole, and so is whatever only one policy has. */
function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || formatLimit(value) !== undefined;
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
  if (field.endsWith('Ms') && typeof value === 'number') return formatDuration(value);
  const text = formatLimit(value) ?? (typeof value === 'string' ? value : stable(value));
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

/** JSON with sorted keys: the order of the fields of a policy means nothing. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const entries = [...entriesOf(value)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${stable(one)}`).join(',')}}`;
}
