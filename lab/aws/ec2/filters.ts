import type { Filter } from '@aws-sdk/client-ec2';
import { AwsError } from '../codec/errors.ts';

/** What an EC2 filter can match: the values of a resource by filter name, and its tags. */
interface Filterable {
  readonly tags: ReadonlyMap<string, string>;
  readonly values: Readonly<Record<string, readonly (string | undefined)[]>>;
}

/** A filter value may hold `*` and `?` (EC2 user guide, "List and filter your resources"). */
function matchesPattern(pattern: string, text: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`).test(text);
}

function candidates(resource: Filterable, name: string): readonly (string | undefined)[] {
  if (name === 'tag-key') return [...resource.tags.keys()];
  if (name.startsWith('tag:')) return [resource.tags.get(name.slice('tag:'.length))];
  const values = resource.values[name];
  if (values === undefined) throw new AwsError('InvalidParameterValue', `The filter '${name}' is invalid`);
  return values;
}

/** Values of one filter are alternatives; all filters must match. */
export function matchesFilters(resource: Filterable, filters: readonly Filter[] | undefined): boolean {
  return (filters ?? []).every(({ Name = '', Values = [] }) =>
    candidates(resource, Name).some(
      (value) => value !== undefined && Values.some((pattern) => matchesPattern(pattern, value)),
    ),
  );
}

/** Tags as EC2 returns them. */
export function tagList(tags: ReadonlyMap<string, string>): { Key: string; Value: string }[] {
  return [...tags].map(([Key, Value]) => ({ Key, Value }));
}
