import type { NormalizedSchema } from '@smithy/core/schema';

/** Parameters `A.1.B=x` as a tree; a leaf keeps its text. */
interface ParameterTree {
  text?: string;
  readonly children: Map<string, ParameterTree>;
}

/** Splits form parameters at their dots. */
export function parameterTree(parameters: URLSearchParams): ParameterTree {
  const root: ParameterTree = { children: new Map() };
  for (const [name, text] of parameters) {
    let node = root;
    for (const part of name.split('.')) {
      const child = node.children.get(part) ?? { children: new Map<string, ParameterTree>() };
      node.children.set(part, child);
      node = child;
    }
    node.text = text;
  }
  return root;
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Wire name of a structure's member. awsQuery: xmlName or the member's name. ec2Query: ec2QueryName, else the
 * capitalised xmlName, else the capitalised member name (Smithy specification, "AWS EC2 query protocol").
 */
function wireName(member: string, schema: NormalizedSchema, protocol: 'query' | 'ec2'): string {
  const traits = schema.getMemberTraits();
  if (protocol === 'query') return String(traits.xmlName ?? member);
  const own = traits['ec2QueryName'];
  return typeof own === 'string' ? own : capitalised(String(traits.xmlName ?? member));
}

/** Reads one value of an awsQuery or ec2Query request; undefined when the request has none. */
export function readQuery(
  schema: NormalizedSchema,
  tree: ParameterTree | undefined,
  protocol: 'query' | 'ec2',
): unknown {
  if (tree === undefined) return undefined;
  if (schema.isStructSchema()) return readStructure(schema, tree, protocol);
  if (schema.isListSchema()) return readList(schema, tree, protocol);
  if (tree.text === undefined) return undefined;
  if (schema.isBooleanSchema()) return tree.text === 'true';
  if (schema.isNumericSchema()) return Number(tree.text);
  if (schema.isTimestampSchema()) return new Date(tree.text);
  return tree.text;
}

function readStructure(schema: NormalizedSchema, tree: ParameterTree, protocol: 'query' | 'ec2') {
  const value: Record<string, unknown> = {};
  for (const [name, member] of schema.structIterator()) {
    const read = readQuery(member, tree.children.get(wireName(name, member, protocol)), protocol);
    if (read !== undefined) value[name] = read;
  }
  return value;
}

/** Lists are numbered. awsQuery puts `member` (or the xmlName) in between unless flattened; ec2Query never does. */
function readList(schema: NormalizedSchema, tree: ParameterTree, protocol: 'query' | 'ec2'): unknown[] {
  const item = schema.getValueSchema();
  const flat = protocol === 'ec2' || schema.getMergedTraits().xmlFlattened;
  const base = flat ? tree : tree.children.get(String(item.getMemberTraits().xmlName ?? 'member'));
  return [...(base?.children ?? [])]
    .filter(([index]) => /^\d+$/.test(index))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, child]) => readQuery(item, child, protocol));
}
