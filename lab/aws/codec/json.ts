import type { NormalizedSchema } from '@smithy/core/schema';
import { type Operation, operations } from './operations.ts';

interface Route {
  readonly operation: Operation;
  readonly pattern: RegExp;
  readonly labels: readonly string[];
}

/** restJson1 finds the operation by method and path: `/clusters/{clusterName}/node-groups`. */
const routes: readonly Route[] = [...operations.eks.values()].map((operation) => {
  const path = operation.http?.path ?? '';
  return {
    operation,
    labels: [...path.matchAll(/\{([^}+]+)\+?\}/g)].map((match) => match[1] ?? ''),
    pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '([^/]+)')}$`),
  };
});

/** Parses a restJson1 request: labels from the path, query members from the URL, the rest from the body. */
export function parseJsonRequest(
  method: string,
  url: URL,
  body: string,
): { operation: Operation; input: Record<string, unknown> } | undefined {
  for (const { operation, pattern, labels } of routes) {
    const match = operation.http?.method === method ? pattern.exec(url.pathname) : null;
    if (match === null) continue;
    const input: Record<string, unknown> = body === '' ? {} : JSON.parse(body);
    labels.forEach((label, index) => {
      input[label] = decodeURIComponent(match[index + 1] ?? '');
    });
    for (const [name, member] of operation.input.structIterator()) {
      const parameter = member.getMemberTraits().httpQuery;
      if (typeof parameter === 'string' && url.searchParams.has(parameter)) {
        input[name] = readParameter(member, url.searchParams.getAll(parameter));
      }
    }
    return { operation, input };
  }
  return undefined;
}

function readParameter(schema: NormalizedSchema, values: readonly string[]): unknown {
  if (schema.isListSchema()) return values;
  return schema.isNumericSchema() ? Number(values[0]) : values[0];
}

/** A value as JSON can represent it: timestamps become epoch seconds, as in restJson1. */
export function jsonValue(schema: NormalizedSchema, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (schema.isStructSchema()) {
    const members = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries([...schema.structIterator()].map(([name, s]) => [name, jsonValue(s, members[name])]));
  }
  if (schema.isListSchema()) return (value as unknown[]).map((item) => jsonValue(schema.getValueSchema(), item));
  if (schema.isMapSchema()) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, jsonValue(schema.getValueSchema(), item)]),
    );
  }
  return schema.isTimestampSchema() ? (value as Date).getTime() / 1000 : value;
}
