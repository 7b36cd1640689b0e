import { rules } from '../../core/audit/rules.ts';
import { type ProblemCode, problemCodes } from '../../core/model/problem.ts';
import { problemTexts } from '../../core/model/problem-texts.ts';
import type { RuleText } from '../../core/plan/audit/rule-text.ts';
import { ruleTexts } from '../../core/plan/audit/rule-texts.ts';
import { suggest } from '../../core/text/suggest.ts';
import { exitCodeTexts } from '../output/exit-code-texts.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { exitCodeOf } from '../output/fail.ts';
import { type FieldTopic, listFields } from './policy-field.ts';

/** A rule of plans or of the audit, by its id. */
interface RuleTopic extends RuleText {
  readonly kind: 'rule';
  readonly name: string;
}

/** A problem code. */
interface CodeTopic {
  readonly kind: 'code';
  readonly name: ProblemCode;
  readonly means: string;
  readonly fix: string;
  /** Whether the same can succeed when it is tried again. */
  readonly retryable: boolean;
  /** Exit code of a command that ends with it. */
  readonly exitCode: number;
}

/** An exit code. */
interface ExitCodeTopic {
  readonly kind: 'exit-code';
  readonly name: string;
  readonly means: string;
  /** Problem codes with which a command ends so. */
  readonly codes: readonly ProblemCode[];
}

/** Something that can be explained without any server. */
export type Topic = RuleTopic | FieldTopic | CodeTopic | ExitCodeTopic;

const codes = Object.keys(problemCodes) as ProblemCode[];

/** Rules of plans, and those that only `nodeferry audit` applies. */
const allRules: ReadonlyMap<string, RuleText> = new Map([
  ...ruleTexts,
  ...rules.map(({ id, severities, title, why, fix }) => [id, { severities, title, why, fix }] as const),
]);

/** What a name stands for: a rule, a problem code, an exit code, or a field of a policy. Case does not matter. */
export function findTopic(name: string): Topic | undefined {
  const wanted = name.trim().toLowerCase();
  const rule = [...allRules].find(([id]) => id.toLowerCase() === wanted);
  if (rule !== undefined) return { kind: 'rule', name: rule[0], ...rule[1] };
  const code = codes.find((one) => one.toLowerCase() === wanted);
  if (code !== undefined) return codeTopic(code);
  const exitCode = Object.values(exitCodes).find((one) => String(one) === wanted);
  if (exitCode !== undefined) return exitCodeTopic(exitCode);
  return listFields().find((field) => spellingsOf(field.name).includes(wanted));
}

/** The name that was most likely meant. A field may be meant by its last part alone. */
export function suggestTopic(name: string): string | undefined {
  const fields = listFields().map((field) => field.name);
  if (name.includes('.')) return suggest(name, fields) ?? suggest(`spec.${name}`, fields);
  const last = suggest(name, fields.map(lastPartOf));
  return suggest(name, [...allRules.keys(), ...codes]) ?? fields.find((field) => lastPartOf(field) === last);
}

function lastPartOf(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

function codeTopic(name: ProblemCode): CodeTopic {
  const { retryable } = problemCodes[name];
  return { kind: 'code', name, ...problemTexts[name], retryable, exitCode: exitCodeOf(name) };
}

function exitCodeTopic(exitCode: keyof typeof exitCodeTexts): ExitCodeTopic {
  return {
    kind: 'exit-code',
    name: String(exitCode),
    means: exitCodeTexts[exitCode],
    codes: codes.filter((code) => exitCodeOf(code) === exitCode),
  };
}

/** A field by its path, with or without `spec`, and with or without the signs for entries of lists. */
function spellingsOf(name: string): readonly string[] {
  const path = name.toLowerCase();
  const plain = path.replaceAll('[]', '');
  return [path, plain, ...[path, plain].map((one) => one.replace(/^spec\./, ''))];
}
