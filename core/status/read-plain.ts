/** Readers of plain data that somebody else has written: an earlier attempt, maybe of another version. What is not of its type is left out. */

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** The entries of an object whose values are of that type. */
export function recordOf<T>(value: unknown, is: (value: unknown) => value is T): Readonly<Record<string, T>> {
  const entries = Object.entries(fieldsOf(value));
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => is(entry[1])));
}

/** The list, if it is one and all of it is of that type. */
export function listOf<T>(value: unknown, is: (value: unknown) => value is T): readonly T[] | undefined {
  return Array.isArray(value) && value.every(is) ? value : undefined;
}

/** Times, or counts, by key. */
export function numbersIn(value: unknown): Readonly<Record<string, number>> {
  return recordOf(value, isNumber);
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether it is an object all of whose named fields hold what their readers say. */
export function hasFields(value: unknown, fields: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  const found = fieldsOf(value);
  return Object.entries(fields).every(([key, is]) => is(found[key]));
}
