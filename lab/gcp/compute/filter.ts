import { HttpError } from '../errors.ts';

/**
 * Whether a resource passes a filter: `name = "x"`, `name != x`, or the older `name eq REGEX`, `name ne REGEX`; several are joined by AND or, in
 * parentheses, by nothing (Compute API reference, parameter `filter`). @throws HttpError 400 for any other filter
 */
export function parseFilter(expression: string | null): (resource: object) => boolean {
  if (expression === null || expression === '') return () => true;
  const terms = expression.split(/\s+AND\s+|(?<=\))\s*(?=\()/).map(parseTerm);
  return (resource) => terms.every((matches) => matches(resource));
}

function parseTerm(term: string): (resource: object) => boolean {
  const [, field, operator, raw] = /^\(?\s*([\w.]+)\s*(=|!=|eq|ne)\s*(.+?)\s*\)?$/.exec(term.trim()) ?? [];
  if (field === undefined || operator === undefined || raw === undefined) {
    throw new HttpError(400, 'invalid', `Invalid value for field 'filter': '${term}'. Invalid list filter expression.`);
  }
  const value = raw.replace(/^(["'])(.*)\1$/, '$2');
  const wanted = operator === '=' || operator === 'eq';
  const same = /eq|ne/.test(operator)
    ? (text: string) => new RegExp(`^(?:${value})$`).test(text)
    : (text: string) => text === value;
  return (resource) => same(textOf(resource, field)) === wanted;
}

function textOf(resource: object, field: string): string {
  const value: unknown = Object.entries(resource).find(([key]) => key === field)?.[1];
  return typeof value === 'string' ? value : '';
}

/** One page of a list (parameters `maxResults`, `pageToken`). */
export function pageOf<T>(items: readonly T[], query: URLSearchParams): { items: T[]; nextPageToken?: string } {
  const start = Number(query.get('pageToken') ?? 0);
  const size = Number(query.get('maxResults') ?? 500);
  if (!Number.isInteger(start) || !Number.isInteger(size) || size < 1) {
    throw new HttpError(400, 'invalid', "Invalid value for field 'pageToken' or 'maxResults'.");
  }
  const next = start + size;
  return { items: items.slice(start, next), ...(next < items.length && { nextPageToken: String(next) }) };
}
