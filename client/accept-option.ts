import { Option } from 'commander';
import { NodeferryError } from '../core/model/problem.ts';
import { ruleTexts } from '../core/plan/audit/rule-texts.ts';
import { maxReasonLength, type Policy } from '../core/policy/policy.ts';
import { printable } from '../core/text/printable.ts';
import { suggest } from '../core/text/suggest.ts';

/** Accepted rules as they are written on the command line, `RULE=reason` each. */
export type WrittenAcceptances = readonly string[];

/** `--accept`, which may be given several times. */
export function acceptOption(): Option {
  return new Option('--accept <RULE=reason>', 'accept findings of a rule, with the reason; repeatable')
    .argParser((text: string, before: WrittenAcceptances) => [...before, text])
    .default([], 'none');
}

/** The policy that accepts these rules too. What the command line says comes before what the policy says. @throws NodeferryError InvalidArgument */
export function withAccepted(policy: Policy, written: WrittenAcceptances): Policy {
  if (written.length === 0) return policy;
  return { ...policy, accept: { ...policy.accept, ...readAcceptances(written, [...ruleTexts.keys()]) } };
}

/** Reasons by rule. `known`: ids of the rules that there are. @throws NodeferryError InvalidArgument */
export function readAcceptances(
  written: WrittenAcceptances,
  known: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(written.map((text) => readAcceptance(text, known)));
}

function readAcceptance(text: string, known: readonly string[]): readonly [rule: string, reason: string] {
  const [written = '', ...rest] = text.split('=');
  const reason = rest.join('=').trim();
  const rule = known.find((id) => id === written.trim().toUpperCase());
  if (rule === undefined) {
    const meant = suggest(written, known);
    throw refuse(`there is no rule ${printable(written)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
  }
  if (reason === '') throw refuse(`${rule} has no reason.`);
  return [rule, printable(reason, maxReasonLength)];
}

function refuse(what: string): NodeferryError {
  return new NodeferryError({
    code: 'InvalidArgument',
    message: `--accept: ${what}`,
    hint: 'Give the rule and why: --accept SVC-028="drained by its owner on Saturdays". The rules: docs/audit.md, or nodeferry explain RULE.',
  });
}
