import type { ClusterRule } from '../plan/audit/rule.ts';
import { ruleTexts } from '../plan/audit/rule-texts.ts';
import { type Finding, severities } from '../plan/finding.ts';
import type { Fix } from './fix.ts';
import { objectOfSubject } from './objects.ts';
import type { AuditedObject, AuditQuestion, Rule, Violation } from './rule.ts';

/** What the audit adds to the hint of a finding. Its text comes after the hint. */
export interface AddedFix extends Partial<Fix> {
  /** What to say in place of the hint. */
  readonly instead?: string;
}

/** What the audit adds to a rule of the plan. */
interface Addition extends Pick<Rule, 'source' | 'needsLoadBalancers'> {
  /** What does it exactly. */
  readonly fix?: (object: AuditedObject, question: AuditQuestion, finding: Finding) => AddedFix;
  /** A field of policies, which the hint names, decides whether its blockers are any: without a policy they are warnings. */
  readonly isDecidedByPolicy?: boolean;
  /** Which field of the policy accepts an error at the object. */
  readonly acceptedBy?: (object: AuditedObject, question: AuditQuestion) => string | undefined;
}

/** A rule of the plan as a rule of the audit: the same findings, about the whole cluster. Throws for an id that has no text. */
export function fromPlan(id: string, rule: ClusterRule, addition: Addition): Rule {
  const { source, needsLoadBalancers, isDecidedByPolicy = false } = addition;
  const text = ruleTexts.get(id);
  if (text === undefined) throw new Error(`rule ${id} has no text`);
  return {
    id,
    ...text,
    severities: severities.filter((one) => text.severities.includes(one) || (isDecidedByPolicy && one === 'warning')),
    source,
    ...(needsLoadBalancers === undefined ? {} : { needsLoadBalancers }),
    inPlan: true,
    check: (question) => rule(question).map((finding) => violationOf(finding, question, addition)),
  };
}

function violationOf(
  finding: Finding,
  question: AuditQuestion,
  { fix = () => ({}), isDecidedByPolicy = false, acceptedBy }: Addition,
): Violation {
  const { severity, subject, message, hint } = finding;
  const object = objectOfSubject(subject, question.facts.cluster);
  const { text, instead = hint, ...exactly } = fix(object, question, finding);
  const isUndecided = isDecidedByPolicy && severity === 'blocker' && !question.hasPolicy;
  const field = severity === 'error' ? acceptedBy?.(object, question) : undefined;
  return {
    severity: isUndecided ? 'warning' : severity,
    object,
    message,
    fix: { text: text === undefined ? instead : `${instead} ${text}`, ...exactly },
    ...(field === undefined ? {} : { accepted: `by ${field} of the policy` }),
  };
}
