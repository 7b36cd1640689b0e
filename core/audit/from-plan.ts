import type { ClusterRule } from '../plan/audit/rule.ts';
import { ruleTexts } from '../plan/audit/rule-texts.ts';
import { objectOfSubject } from './objects.ts';
import type { AuditedObject, AuditQuestion, Fix, Rule } from './rule.ts';

/** What the audit adds to a rule of the plan. */
interface Addition extends Pick<Rule, 'source' | 'needsLoadBalancers'> {
  /** What does it exactly. Its text comes after the hint of the finding. */
  readonly fix?: (object: AuditedObject, question: AuditQuestion) => Partial<Fix>;
}

/** A rule of the plan as a rule of the audit: the same findings, about the whole cluster. Throws for an id that has no text. */
export function fromPlan(id: string, rule: ClusterRule, { fix = () => ({}), ...added }: Addition): Rule {
  const text = ruleTexts.get(id);
  if (text === undefined) throw new Error(`rule ${id} has no text`);
  return {
    id,
    ...text,
    ...added,
    inPlan: true,
    check: (question) =>
      rule(question).map(({ severity, subject, message, hint }) => {
        const object = objectOfSubject(subject, question.facts.cluster);
        const { text, ...exactly } = fix(object, question);
        return { severity, object, message, fix: { text: text === undefined ? hint : `${hint} ${text}`, ...exactly } };
      }),
  };
}
