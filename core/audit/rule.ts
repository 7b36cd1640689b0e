import type { ClusterQuestion } from '../plan/audit/rule.ts';
import type { RuleText } from '../plan/audit/rule-text.ts';
import type { FindingSeverity } from '../plan/finding.ts';
import type { CloudTerms } from './cloud-terms.ts';
import type { Fix } from './fix.ts';

/** The object that a finding is about, or that its fix changes. */
export interface AuditedObject {
  /** Kind in Kubernetes, e.g. `Deployment`. */
  readonly kind: string;
  /** Absent for objects that belong to no namespace. */
  readonly namespace?: string;
  readonly name: string;
}

/** What a rule has found at one object. */
export interface Violation {
  readonly severity: FindingSeverity;
  readonly object: AuditedObject;
  /** What is wrong, with the numbers that it was decided from. */
  readonly message: string;
  readonly fix: Fix;
  /** Why the operator accepts it; absent where it is not accepted. */
  readonly accepted?: string;
}

/** What rules decide from. */
export interface AuditQuestion extends ClusterQuestion {
  readonly terms: CloudTerms;
  /** Whether the operator has written the policy. Otherwise it is the defaults, in which nobody has decided anything. */
  readonly hasPolicy: boolean;
}

/** A rule of `nodeferry audit`: would the replacement of nodes lose connections here? */
export interface Rule extends RuleText {
  /** Stable id, e.g. `SVC-001`. It is never reused. */
  readonly id: string;
  /** Where it is documented or was measured. */
  readonly source: string;
  /** It cannot be decided without the load balancers. */
  readonly needsLoadBalancers?: boolean;
  /** The plan of an upgrade applies it too, to the pool that is replaced. */
  readonly inPlan?: boolean;
  /** Pure: the same facts give the same findings. */
  readonly check: (question: AuditQuestion) => readonly Violation[];
}

/** Writes the name of an object: `Deployment shop/web`. */
export function formatObject({ kind, namespace, name }: AuditedObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
