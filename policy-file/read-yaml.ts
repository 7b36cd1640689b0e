import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml';
import { printable } from '../core/text/printable.ts';
import type { PolicyProblem } from './policy-problem.ts';

/** The path of a field: the keys and list positions that lead to it. */
export type Path = readonly PropertyKey[];

/** A parsed YAML text, with the positions of its fields. */
export interface Source {
  readonly file: string;
  readonly contents: Node;
  readonly lines: LineCounter;
  /** The fields of each mapping, by key. */
  readonly fields: ReadonlyMap<unknown, ReadonlyMap<string, Pair>>;
  /** The node that each alias refers to. */
  readonly aliases: ReadonlyMap<unknown, Node>;
}

/** The plain value of a YAML text with its positions, or all of its problems. */
type YamlResult =
  | { readonly ok: true; readonly source: Source; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/** A longer policy would not fit into the input of a workflow: Temporal accepts no payload above 2 MB. */
const maxTextLength = 1_048_576;

/** How many nodes aliases may expand to. A file with more is not a policy but an attack ("billion laughs"). */
const maxAliased = 10_000;

/** Reads a YAML text in time proportional to its length. It never throws, and the YAML library prints no warnings. */
export function readYaml(text: string, file: string): YamlResult {
  const lines = new LineCounter();
  const whole = (message: string, allowed: string): YamlResult => ({
    ok: false,
    problems: [{ ...placeAt({ file, lines }, 0, '', message), allowed }],
  });
  if (text.length > maxTextLength) {
    const megabytes = (text.length / 1_048_576).toFixed(1);
    return whole(`the file is too long, ${megabytes} MiB`, 'a policy of at most 1 MiB');
  }
  try {
    // The library's check for unique keys takes quadratic time. findFields does it instead.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'error',
    });
    if (document.errors.length > 0) {
      return { ok: false, problems: document.errors.map((error) => explainError({ file, lines }, error)) };
    }
    if (document.contents === null) return whole('the file is empty', 'a PoolUpgrade');
    const { problems, ...places } = findFields({ file, lines }, document.contents);
    if (problems.length > 0) return { ok: false, problems };
    const value = toPlain(document);
    if (!value.ok) return whole(value.why, 'plain fields without aliases');
    return { ok: true, source: { file, lines, contents: document.contents, ...places }, value: value.value };
  } catch (error) {
    // The library reads nested values by recursion, which can exhaust the stack.
    if (error instanceof RangeError) return whole('the values are nested too deeply', 'the fields of docs/policy.md');
    throw error;
  }
}

function toPlain(document: Document.Parsed): { ok: true; value: unknown } | { ok: false; why: string } {
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: maxAliased }) };
  } catch (error) {
    if (error instanceof RangeError || !(error instanceof Error)) throw error;
    return { ok: false, why: printable(error.message, 200) };
  }
}

function explainError(place: Pick<Source, 'file' | 'lines'>, { code, message, pos }: YAMLError): PolicyProblem {
  if (code === 'MULTIPLE_DOCS') {
    return { ...placeAt(place, pos[0], '', 'a second YAML document begins here'), allowed: 'one policy per file' };
  }
  const deep = code === 'RESOURCE_EXHAUSTION' || message.includes('call stack');
  return placeAt(place, pos[0], '', deep ? 'the values are nested too deeply' : printable(message, 200));
}

interface Found {
  readonly fields: Map<unknown, Map<string, Pair>>;
  readonly aliases: Map<unknown, Node>;
  readonly problems: PolicyProblem[];
}

/** Finds all fields in one pass, and everything that makes a mapping ambiguous: a duplicate key, a key that is not a string, an unknown alias. */
function findFields(place: Pick<Source, 'file' | 'lines'>, contents: Node): Found {
  const found: Found = { fields: new Map(), aliases: new Map(), problems: [] };
  const anchors = new Map<string, Node | undefined>();
  const refuse = (node: unknown, message: string) => {
    found.problems.push(placeAt(place, startOf(node), '', message));
  };
  const visit = (node: unknown): void => {
    if (isAlias(node)) {
      const meant = anchors.get(node.source);
      const reason = anchors.has(node.source) ? 'refers to a value that contains it' : 'has no anchor before it';
      if (meant === undefined) refuse(node, `the alias *${printable(node.source)} ${reason}`);
      else found.aliases.set(node, meant);
      return;
    }
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) anchors.set(anchor, undefined);
    if (isMap(node)) found.fields.set(node, visitFields(node.items, visit, refuse));
    if (isSeq(node)) for (const item of node.items) visit(item);
    if (anchor !== undefined && isNode(node)) anchors.set(anchor, node);
  };
  visit(contents);
  return found;
}

function visitFields(
  pairs: readonly unknown[],
  visit: (node: unknown) => void,
  refuse: (node: unknown, message: string) => void,
): Map<string, Pair> {
  const fields = new Map<string, Pair>();
  for (const pair of pairs) {
    if (!isPair(pair)) continue;
    const { key, value } = pair;
    if (!isScalar(key)) {
      refuse(key ?? value, 'the name of a field must be a string');
      continue;
    }
    const name = String(key.value);
    if (fields.has(name)) refuse(key, `the field '${printable(name)}' is here twice`);
    // JavaScript would set the prototype of the object instead of a field.
    else if (name === '__proto__') refuse(key, "the name '__proto__' is not allowed here");
    else if (name === '<<' || typeof key.value === 'symbol')
      refuse(key, 'merging fields with << is not supported; write them out');
    else fields.set(name, pair);
    visit(value);
  }
  return fields;
}

/** The node at a path. Aliases are followed. Undefined when there is none. */
export function nodeAt(source: Source, path: Path): Node | undefined {
  let node: unknown = source.contents;
  for (const step of path) {
    const parent = source.aliases.get(node) ?? node;
    if (isMap(parent)) node = source.fields.get(parent)?.get(String(step))?.value;
    else node = isSeq(parent) && typeof step === 'number' ? parent.items[step] : undefined;
  }
  node = source.aliases.get(node) ?? node;
  return isNode(node) ? node : undefined;
}

/** Offset of a field's key. For an item of a list it is the start of the item, and for a missing field the key of its parent. */
export function keyOffset(source: Source, path: Path): number {
  if (path.length === 0) return 0;
  const parent = nodeAt(source, path.slice(0, -1));
  const key = source.fields.get(parent)?.get(String(path.at(-1)))?.key;
  if (key !== undefined) return startOf(key);
  const node = nodeAt(source, path);
  return node === undefined ? keyOffset(source, path.slice(0, -1)) : startOf(node);
}

/** Offset at which a value begins. */
export function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** A problem at an offset in the text. */
export function placeAt(
  { file, lines }: Pick<Source, 'file' | 'lines'>,
  offset: number,
  field: string,
  message: string,
): PolicyProblem {
  const { line, col } = lines.linePos(offset);
  return { file: printable(file, 500), line: Math.max(1, line), column: Math.max(1, col), field, message };
}
