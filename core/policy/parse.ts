import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { Policy } from './policy.ts';
import { longestPoolName, resolvePolicy } from './resolve.ts';
import { policyJsonSchema, policySchema } from './schema.ts';
import { suggest } from './suggest.ts';

/** Something wrong in a policy file, with the place where a reader finds it. */
export interface PolicyProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  /** Path of the field, e.g. `spec.guard.maxInFlight`; empty for the whole file. */
  readonly field: string;
  /** What is wrong, with what was found. */
  readonly message: string;
  /** What may stand there. */
  readonly allowed?: string;
  /** What was probably meant. */
  readonly suggestion?: string;
}

/** A policy, or everything that is wrong with it. */
export type PolicyResult =
  | { readonly ok: true; readonly policy: Policy; readonly warnings: readonly PolicyProblem[] }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

interface Source {
  readonly file: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** Reads a policy from YAML (or JSON). Answers all problems at once, in the order of the file; never throws. */
export function parsePolicy(text: string, file: string): PolicyResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const source = { file, document, lines };
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => problemAt(source, error.pos[0], '', error.message));
    return { ok: false, problems };
  }
  if (document.contents === null) {
    return { ok: false, problems: [{ ...problemAt(source, 0, '', 'the file is empty'), allowed: 'a PoolUpgrade' }] };
  }
  const parsed = policySchema.safeParse(document.toJS());
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => explain(source, issue));
    return { ok: false, problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
  }
  const policy = resolvePolicy(parsed.data);
  const problems = checkNames(source, policy);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, policy, warnings: warn(source, policy) };
}

/** Writes a problem on one line: `file:line:column field: what; allowed: what. Did you mean …?` */
export function formatPolicyProblem(problem: PolicyProblem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`;
  const field = problem.field === '' ? '' : ` ${problem.field}`;
  const allowed = problem.allowed === undefined ? '' : `; allowed: ${problem.allowed}`;
  const suggestion = problem.suggestion === undefined ? '' : `. Did you mean ${problem.suggestion}?`;
  return `${place}${field}: ${problem.message}${allowed}${suggestion}`;
}

function explain(source: Source, issue: Issue): readonly PolicyProblem[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => explainUnknown(source, issue.path, key));
  if (issue.code === 'invalid_key') {
    const key = String(issue.path.at(-1));
    const allowed = issue.issues[0]?.message ?? issue.message;
    return [
      {
        ...problemAt(
          source,
          keyOffset(source, issue.path),
          fieldName(issue.path),
          `the name '${key}' is not allowed here`,
        ),
        allowed,
      },
    ];
  }
  const node = nodeAt(source, issue.path);
  if (node === undefined) {
    const parent = issue.path.slice(0, -1);
    const missing = problemAt(source, keyOffset(source, parent), fieldName(issue.path), 'it is missing');
    return [{ ...missing, allowed: allowedText(issue) }];
  }
  const found = problemAt(source, node.range?.[0] ?? 0, fieldName(issue.path), `${quote(node)} is not allowed here`);
  const values = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  const meant = isScalar(node) ? suggest(String(node.value), values) : undefined;
  return [{ ...found, allowed: allowedText(issue), ...(meant === undefined ? {} : { suggestion: meant }) }];
}

function explainUnknown(source: Source, path: Path, key: string): PolicyProblem {
  const known = knownKeys(path);
  const meant = suggest(key, known);
  return {
    ...problemAt(source, keyOffset(source, [...path, key]), fieldName([...path, key]), 'there is no such field'),
    allowed: known.join(', '),
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
}

function allowedText(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.expected === 'object') {
    const known = knownKeys(issue.path);
    return known.length === 0 ? 'fields with values' : `an object with ${known.join(', ')}`;
  }
  return issue.message;
}

function knownKeys(path: Path): readonly string[] {
  let schema: unknown = policyJsonSchema();
  for (const step of path) {
    schema =
      typeof step === 'number' ? property(schema, 'items') : property(property(schema, 'properties'), String(step));
  }
  const properties = property(schema, 'properties');
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function nodeAt(source: Source, path: Path): Node | undefined {
  const node: unknown = path.length === 0 ? source.document.contents : source.document.getIn(path, true);
  return isNodeLike(node) ? node : undefined;
}

function isNodeLike(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'range' in value;
}

/** Where the key of a field stands; the start of what holds it when it is an item of a list or missing. */
function keyOffset(source: Source, path: Path): number {
  if (path.length === 0) return 0;
  const parent = nodeAt(source, path.slice(0, -1));
  const pair = isMap(parent)
    ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(path.at(-1)))
    : undefined;
  if (isScalar(pair?.key)) return pair.key.range?.[0] ?? 0;
  return nodeAt(source, path)?.range?.[0] ?? keyOffset(source, path.slice(0, -1));
}

function quote(node: Node): string {
  if (!isScalar(node)) return isMap(node) ? 'an object' : 'a list';
  return node.value === null ? 'an empty value' : `'${node.source ?? JSON.stringify(node.value)}'`;
}

function fieldName(path: Path): string {
  return path
    .map((step) =>
      typeof step === 'number'
        ? `[${step}]`
        : /^[A-Za-z]\w*$/.test(String(step))
          ? `.${String(step)}`
          : `['${String(step)}']`,
    )
    .join('')
    .replace(/^\./, '');
}

function problemAt({ file, lines }: Source, offset: number, field: string, message: string): PolicyProblem {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(1, line), column: Math.max(1, col), field, message };
}

function checkNames(source: Source, policy: Policy): readonly PolicyProblem[] {
  const path = ['spec', 'target', 'poolName'];
  const { poolName } = policy.target;
  const place = nodeAt(source, path)?.range?.[0] ?? keyOffset(source, ['spec', 'pool', 'name']);
  const field = fieldName(path);
  if (poolName === policy.pool.name) {
    const message = `'${poolName}' is the pool to replace`;
    return [{ ...problemAt(source, place, field, message), allowed: 'a name that differs from spec.pool.name' }];
  }
  if (poolName.length > longestPoolName) {
    const message = `the default '${poolName}' is longer than ${longestPoolName} characters`;
    return [
      { ...problemAt(source, place, field, message), allowed: `a name of at most ${longestPoolName} characters` },
    ];
  }
  return [];
}

function warn(source: Source, policy: Policy): readonly PolicyProblem[] {
  const path = ['spec', 'disabledRules'];
  if (policy.disabledRules.length === 0) return [];
  const message = `the run does without ${policy.disabledRules.join(', ')}: requests can be lost`;
  return [problemAt(source, keyOffset(source, path), fieldName(path), message)];
}
