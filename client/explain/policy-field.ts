import { durationPattern, sharePattern } from '../../core/policy/durations.ts';
import { describedJsonSchema } from '../../policy-file/json-schemas.ts';

/** A field of a policy, as its schema describes it. */
export interface FieldTopic {
  readonly kind: 'field';
  /** Path of the field, e.g. `spec.guard.minServing`. Entries of lists are `[]`, those of maps `*`. */
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly default?: unknown;
  readonly description?: string;
  /** The fields below it. */
  readonly fields?: readonly string[];
}

/** The parts of the JSON schema that are read here. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Every field of a policy, in the order of the schema. */
export function listFields(): readonly FieldTopic[] {
  return fieldsBelow('', describedJsonSchema());
}

function fieldsBelow(parent: string, schema: Schema): readonly FieldTopic[] {
  const path = parent === '' ? '' : `${parent}.`;
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = `${path}${key}`;
    return [topicOf(name, field, schema.required?.includes(key) === true), ...fieldsBelow(name, field)];
  });
  const entries = schema.items === undefined ? [] : fieldsBelow(`${parent}[]`, schema.items);
  const values = schema.additionalProperties ? fieldsBelow(`${path}*`, schema.additionalProperties) : [];
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => fieldsBelow(parent, one));
  return [...own, ...entries, ...values, ...choices];
}

function topicOf(name: string, schema: Schema, required: boolean): FieldTopic {
  const { default: fallback, description } = schema;
  const below = Object.keys(schema.properties ?? schema.items?.properties ?? {});
  return {
    kind: 'field',
    name,
    required,
    type: typeOf(schema),
    ...(fallback === undefined || schema.properties !== undefined ? {} : { default: fallback }),
    // The default has its own line.
    ...(description === undefined ? {} : { description: description.replace(/ ?Default [^ ]+\.$/, '') }),
    ...(below.length === 0 ? {} : { fields: below }),
  };
}

/** What is allowed, in words. */
function typeOf(schema: Schema): string {
  const { type, enum: words, const: only, minimum, maximum, items, properties, additionalProperties } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(', or ');
  if (words !== undefined) return `one of ${words.join(', ')}`;
  if (only !== undefined) return only;
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  if (type === 'boolean') return 'true or false';
  if (items !== undefined) return `a list; each entry: ${typeOf(items)}`;
  if (properties !== undefined) return `an object with ${Object.keys(properties).join(', ')}`;
  if (additionalProperties)
    return `an object; each name: ${typeOf(schema.propertyNames ?? {})}; each value: ${typeOf(additionalProperties)}`;
  return typeOfText(schema);
}

const objectKeyPattern = '^[a-z0-9.-]+\\/[a-z0-9.-]+$';

function typeOfText({ pattern, format, allOf }: Schema): string {
  const patterns = [pattern, ...(allOf ?? []).map((one) => one.pattern)].filter((one) => one !== undefined);
  if (patterns.includes(durationPattern.source)) return 'a duration with units, such as 15s, 5m or 1h30m';
  if (patterns.includes(sharePattern.source)) return 'a share, such as 75%';
  if (patterns.includes(objectKeyPattern)) return 'namespace/name';
  return format === 'uri' ? 'an http or https address' : 'text';
}
