/** Chooses the schema of a written policy by the provider that it names. */
import type { ProviderSection } from './providers/section.ts';
import type { ProviderSections } from './providers/sections.ts';
import { createPolicySchema, type PolicySchema } from './schema.ts';

/** The schema for the provider that this value names, or for the first one if it names none that is known. */
export function policySchemaFor(value: unknown, sections: ProviderSections): ChosenSchema {
  const [first = ''] = Object.keys(sections);
  const named = ['spec', 'pool', 'provider'].reduce(property, value);
  return schemaOf(typeof named === 'string' && Object.hasOwn(sections, named) ? named : first, sections);
}

/** A schema, and the provider that it is for. */
export interface ChosenSchema {
  readonly schema: PolicySchema;
  readonly section: ProviderSection;
}

/** Schemas are made once for each set of providers. */
const known = new WeakMap<ProviderSections, Map<string, ChosenSchema>>();

function schemaOf(provider: string, sections: ProviderSections): ChosenSchema {
  const section = sections[provider];
  if (section === undefined) throw new Error('there is no provider');
  const made = known.get(sections) ?? new Map<string, ChosenSchema>();
  known.set(sections, made);
  const chosen = made.get(provider) ?? {
    section,
    schema: createPolicySchema(provider, section, Object.keys(sections)),
  };
  made.set(provider, chosen);
  return chosen;
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
