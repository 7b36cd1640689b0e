/** JSON schemas (draft 7) of the written form. */
import { z } from 'zod';
import { type ChosenSchema, policySchemaFor } from './choose-schema.ts';
import { providerSections } from './providers/sections.ts';
import type { PolicySchema } from './schema.ts';

/** A JSON schema, as far as it is read here. */
type JsonSchema = Readonly<Record<string, unknown>>;

const made = new WeakMap<PolicySchema, JsonSchema>();

/** The schema of one provider. */
export function policyJsonSchema({ schema }: Pick<ChosenSchema, 'schema'>): JsonSchema {
  const known = made.get(schema) ?? (z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }) as JsonSchema);
  made.set(schema, known);
  return known;
}

/** By the name of the provider, that of a policy that names none first. */
function schemasByProvider(): readonly (readonly [string, JsonSchema])[] {
  return Object.keys(providerSections).map((provider) => {
    const chosen = policySchemaFor({ spec: { pool: { provider } } }, providerSections);
    return [provider, policyJsonSchema(chosen)];
  });
}

/** What editors check policies with: the provider that a policy names decides which schema applies, as in the parser. */
export function editorJsonSchema(): JsonSchema {
  const [[, usual] = ['', {}], ...others] = schemasByProvider();
  const { $schema, title, description } = usual;
  const named = (provider: string) =>
    ['spec', 'pool', 'provider'].reduceRight<JsonSchema>(
      (inner, key) => ({ properties: { [key]: inner }, required: [key] }),
      { const: provider },
    );
  // Each applies unless the condition holds: a literal with `then` would look like a promise.
  const usually = { if: { anyOf: others.map(([provider]) => named(provider)) }, else: usual };
  const rest = others.map(([provider, schema]) => ({ if: { not: named(provider) }, else: schema }));
  return { $schema, title, description, allOf: [usually, ...rest] };
}

/** Every field that a policy can have, whatever its provider: what is different says for which provider it is. */
export function describedJsonSchema(): JsonSchema {
  const [[, usual] = ['', {}], ...others] = schemasByProvider();
  return others.reduce((merged, [provider, schema]) => merge(merged, schema, provider), usual);
}

function merge(known: JsonSchema, added: JsonSchema, provider: string): JsonSchema {
  const [ours, theirs] = [propertiesOf(known), propertiesOf(added)];
  const own = Object.entries(theirs).map(([key, field]) => {
    const before = ours[key];
    return [key, before === undefined ? only(field, provider) : merge(before, field, provider)] as const;
  });
  const kept = Object.entries(ours).map(([key, field]) => [key, key in theirs ? field : not(field, provider)] as const);
  const properties = { ...Object.fromEntries(kept), ...Object.fromEntries(own) };
  return {
    ...known,
    ...describe(known, added, provider),
    ...allow(known, added),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
}

function only(field: JsonSchema, provider: string): JsonSchema {
  return { ...field, description: `Provider ${provider} only. ${textOf(field)}` };
}

function not(field: JsonSchema, provider: string): JsonSchema {
  return { ...field, description: `${textOf(field)} Not with provider ${provider}.` };
}

function describe(known: JsonSchema, added: JsonSchema, provider: string): JsonSchema {
  const [before, now] = [textOf(known), textOf(added)];
  return before === now ? {} : { description: `${before} With provider ${provider}: ${now}` };
}

/** A field that has one value for each provider may have any of them. */
function allow({ const: one, enum: several = [one] }: JsonSchema, { const: other }: JsonSchema): JsonSchema {
  if (one === other || other === undefined) return {};
  return { const: undefined, enum: [...(several as readonly unknown[]), other] };
}

function textOf({ description }: JsonSchema): string {
  return typeof description === 'string' ? description : '';
}
