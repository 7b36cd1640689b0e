import { describeImpact, isAccepted } from '../../guard/unprotected.ts';
import type { UnsupportedServiceFacts } from '../../model/unsupported-service.ts';
import type { Finding } from '../finding.ts';
import type { ClusterQuestion, ClusterRule } from './rule.ts';

/**
 * SVC-028: a load balancer that cannot be watched cannot be waited for. If its connections pass through the nodes to replace, the run is refused,
 * unless the policy accepts the loss. Every other Service of that kind is left alone.
 */
export const svc028Unsupported: ClusterRule = (question) =>
  question.facts.unsupported.map((fact) => ({
    rule: 'SVC-028',
    subject: `service ${fact.service}`,
    ...judge(fact, question),
  }));

function judge(
  fact: UnsupportedServiceFacts,
  { facts, nodes, policy }: ClusterQuestion,
): Omit<Finding, 'rule' | 'subject'> {
  const touch = describeImpact(fact, facts, nodes);
  if (touch === undefined) {
    return {
      severity: 'info',
      message: `its unprotected connections do not pass through the nodes to replace, and it is left alone: ${fact.detail}`,
      hint: 'Nothing to do for this pool.',
    };
  }
  if (isAccepted(fact, policy)) {
    return {
      severity: 'error',
      message: `it can't be protected, which the policy accepts; ${touch} to replace: ${fact.detail}`,
      hint: fact.hint,
      leavesUnprotected: true,
    };
  }
  return {
    severity: 'blocker',
    message: `it can't be protected, and ${touch} to replace: ${fact.detail}`,
    hint: `${fact.hint} Or list it in spec.guard.acceptUnprotected: it may lose connections then.`,
    acceptableFor: [fact.service],
  };
}
