/** Readers of plain data that an earlier attempt has written, possibly of another version. A value of another type is left out. */

/** The fields of an object; none if the value is not an object. */
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

/** The list, if the value is a list and all its entries are of that type. */
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

/** Whether the value is an object and all named fields satisfy their readers. */
export function hasFields(value: unknown, fields: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  const found = fieldsOf(value);
  return Object.entries(fields).every(([key, is]) => is(found[key]));
}
