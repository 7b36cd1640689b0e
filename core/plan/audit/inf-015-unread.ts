import type { UnreadFacts } from '../../model/unread.ts';
import type { FindingSeverity } from '../finding.ts';
import type { AuditQuestion, AuditRule } from './rule.ts';

/** What is not known of the plan while a resource is not read. */
interface Unknown {
  readonly severity: FindingSeverity;
  readonly message: string;
}

/** INF-015: what our role does not let us read, and what the plan does not know for that. The run does without it. */
export const inf015Unread: AuditRule = (question) =>
  (question.facts.cluster.unread ?? []).map((unread) => ({
    rule: 'INF-015',
    subject: unread.resource,
    hint: unread.hint,
    ...tellUnknown(unread, question),
  }));

function tellUnknown({ resource }: UnreadFacts, { services }: AuditQuestion): Unknown {
  const isOfPolicies = /networkpolicies\./.test(resource);
  return {
    severity: isOfPolicies && services.some(({ unlist }) => unlist) ? 'warning' : 'info',
    message: isOfPolicies
      ? 'not allowed to list them: a policy that goes by a label which a pod loses while it leaves its endpoints may cut what it is in the middle of'
      : 'not allowed to list them',
  };
}
