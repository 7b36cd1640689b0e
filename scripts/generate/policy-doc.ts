import { describedJsonSchema } from '../../policy-file/json-schemas.ts';

interface Field {
  readonly description?: string;
  readonly default?: string | number | boolean | object;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly items?: Field;
}

const introduction = `# The policy of a pool upgrade

Generated from the schema by \`npm run gen\`; editors can check policies against
[schemas/pool-upgrade.schema.json](../schemas/pool-upgrade.schema.json). Runnable policies are in [examples](../examples).

Durations have units: \`300ms\`, \`15s\`, \`5m\`, \`1h30m\`. Shares are percentages: \`75%\`. Services and workloads are written
\`namespace/name\`. Unknown fields are errors. [windows.md](windows.md) explains \`spec.schedule\`.

| field | default | meaning |
|---|---|---|
`;

/** The page that describes every field of a policy, generated from its schema. */
export function policyDoc(): string {
  const schema: Field = describedJsonSchema();
  return `${introduction}${rows('', schema).join('\n')}\n`;
}

function rows(path: string, schema: Field): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const row = `| \`${name}\` | ${fallback(field, schema.required?.includes(key) ?? false)} | ${meaning(field)} |`;
    const nested = field.items?.properties === undefined ? rows(name, field) : rows(`${name}[]`, field.items);
    return [row, ...nested];
  });
}

function fallback(field: Field, required: boolean): string {
  if (required) return '**required**';
  const value = field.default;
  if (value === undefined || field.properties !== undefined) return '';
  return typeof value === 'object' ? 'none' : `\`${value}\``;
}

function meaning(field: Field): string {
  // The default has its own column.
  const text = (field.description ?? '').replace(/ ?Default [^ ]+\.$/, '').replaceAll('|', '\\|');
  const allowed = field.enum ?? field.items?.enum ?? (field.const === undefined ? [] : [field.const]);
  const values = allowed.map((value) => `\`${value}\``).join(', ');
  return [text, values].filter((part) => part !== '').join(' ');
}
