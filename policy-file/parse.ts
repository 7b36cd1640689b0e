import { isMap, isScalar, type Node } from 'yaml';
import type { z } from 'zod';
import type { Policy } from '../core/policy/policy.ts';
import { printable } from '../core/text/printable.ts';
import { suggest } from '../core/text/suggest.ts';
import { checkSchedule, type PolicySurroundings } from './check-schedule.ts';
import { checkTarget } from './check-target.ts';
import { type ChosenSchema, policySchemaFor } from './choose-schema.ts';
import { fieldName } from './field-name.ts';
import { policyJsonSchema } from './json-schemas.ts';
import { formatPolicyProblem, type PolicyProblem } from './policy-problem.ts';
import { type ProviderSections, providerSections } from './providers/sections.ts';
import { keyOffset, nodeAt, type Path, placeAt, readYaml, type Source, startOf } from './read-yaml.ts';
import { resolvePolicy } from './resolve.ts';

export { formatPolicyProblem };

/** Either a policy, or the first problems found in it and the number of further problems. */
export type PolicyResult =
  | { readonly ok: true; readonly policy: Policy; readonly warnings: readonly PolicyProblem[] }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[]; readonly more: number };

type Issue = z.core.$ZodIssue;

/** The most problems that are reported at once. The user fixes these before the rest is shown. */
const maxReported = 50;

/**
 * Reads a policy from YAML or JSON. Problems are returned in the order of the file, at most fifty at once. The time it takes is
 * proportional to the length of the text. It never throws. Without `surroundings` the time zone of a schedule is not checked, and its calendar
 * files are not read.
 */
export function parsePolicy(
  text: string,
  file: string,
  surroundings?: PolicySurroundings,
  sections: ProviderSections = providerSections,
): PolicyResult {
  const yaml = readYaml(text, file);
  if (!yaml.ok) return refused(yaml.problems);
  const { source } = yaml;
  const chosen = policySchemaFor(yaml.value, sections);
  const parsed = chosen.schema.safeParse(yaml.value);
  if (!parsed.success) {
    const faults = parsed.error.issues
      .flatMap((issue) => faultsOf(source, issue))
      .toSorted((a, b) => a.offset - b.offset)
      .filter((fault, index, all) => !isDuplicate(fault, all[index - 1]));
    const problems = faults.slice(0, maxReported).map((fault) => explain(source, fault, chosen));
    return { ok: false, problems, more: faults.length - problems.length };
  }
  const policy = resolvePolicy(parsed.data, chosen.section);
  const problems = checkTarget(source, policy, { written: parsed.data, ...chosen });
  if (problems.length > 0) return refused(problems);
  const warnings = warn(source, policy);
  if (policy.schedule === undefined || surroundings === undefined) return { ok: true, policy, warnings };
  const checked = checkSchedule(source, policy.schedule, surroundings);
  if (!checked.ok) return refused(checked.problems);
  return { ok: true, policy: { ...policy, schedule: checked.schedule }, warnings };
}

function refused(problems: readonly PolicyProblem[]): PolicyResult {
  const reported = problems.slice(0, maxReported);
  return { ok: false, problems: reported, more: problems.length - reported.length };
}

/** An issue of the schema with its position in the file, before it becomes a message. */
interface Fault {
  readonly issue: Issue;
  readonly path: Path;
  readonly kind: 'unknown' | 'name' | 'missing' | 'value';
  readonly offset: number;
}

function faultsOf(source: Source, issue: Issue): readonly Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return { issue, path, kind: 'unknown', offset: keyOffset(source, path) };
    });
  }
  const { path } = issue;
  if (issue.code === 'invalid_key') return [{ issue, path, kind: 'name', offset: keyOffset(source, path) }];
  const node = nodeAt(source, path);
  if (node !== undefined) return [{ issue, path, kind: 'value', offset: startOf(node) }];
  return [{ issue, path, kind: 'missing', offset: keyOffset(source, path.slice(0, -1)) }];
}

/** Whether two rules of one field, such as its pattern and its maximum length, report the same problem. */
function isDuplicate({ issue, path, offset }: Fault, before: Fault | undefined): boolean {
  if (before?.offset !== offset || before.issue.message !== issue.message) return false;
  return before.path.length === path.length && before.path.every((step, index) => step === path[index]);
}

function explain(source: Source, { issue, path, kind, offset }: Fault, chosen: ChosenSchema): PolicyProblem {
  const problem = (message: string) => placeAt(source, offset, fieldName(path), message);
  const lastKey = String(path.at(-1));
  switch (kind) {
    case 'unknown': {
      const known = knownKeys(path.slice(0, -1), chosen);
      return { ...problem('there is no such field'), allowed: known.join(', '), ...suggestionFor(lastKey, known) };
    }
    case 'name': {
      const [inner] = issue.code === 'invalid_key' ? issue.issues : [];
      const values = inner?.code === 'invalid_value' ? inner.values.map(String) : [];
      const allowed = inner?.message ?? issue.message;
      return {
        ...problem(`the name '${printable(lastKey)}' is not allowed here`),
        allowed,
        ...suggestionFor(lastKey, values),
      };
    }
    case 'missing':
      return { ...problem('this field is required'), allowed: allowedText(issue, chosen) };
    case 'value': {
      const node = nodeAt(source, path);
      const values = issue.code === 'invalid_value' ? issue.values.map(String) : [];
      const suggestion = isScalar(node) ? suggestionFor(String(node.value), values) : {};
      return { ...problem(`${quote(node)} is not allowed here`), allowed: allowedText(issue, chosen), ...suggestion };
    }
  }
}

function suggestionFor(found: string, candidates: readonly string[]): { readonly suggestion?: string } {
  const suggestion = suggest(found, candidates);
  return suggestion === undefined ? {} : { suggestion };
}

function allowedText(issue: Issue, chosen: ChosenSchema): string {
  if (issue.code === 'invalid_type' && issue.expected === 'object') {
    const known = knownKeys(issue.path, chosen);
    return known.length === 0 ? 'fields with values' : `an object with ${known.join(', ')}`;
  }
  return issue.message;
}

function knownKeys(path: Path, chosen: ChosenSchema): readonly string[] {
  let schema: unknown = policyJsonSchema(chosen);
  for (const step of path) {
    schema =
      typeof step === 'number'
        ? property(schema, 'items')
        : (property(property(schema, 'properties'), String(step)) ?? property(schema, 'additionalProperties'));
  }
  const properties = property(schema, 'properties');
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function quote(node: Node | undefined): string {
  if (!isScalar(node)) return isMap(node) ? 'an object' : 'a list';
  if (node.value === null) return 'an empty value';
  // The message must not repeat a password that is part of a URL.
  return `'${printable((node.source ?? JSON.stringify(node.value)).replace(/\/\/[^/\s]*@/, '//…@'))}'`;
}

function warn(source: Source, policy: Policy): readonly PolicyProblem[] {
  const path = ['spec', 'disabledRules'];
  if (policy.disabledRules.length === 0) return [];
  const message = `the run can lose requests, because these rules are off: ${policy.disabledRules.join(', ')}`;
  return [placeAt(source, keyOffset(source, path), fieldName(path), message)];
}
