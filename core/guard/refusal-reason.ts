import type { GuardBlock } from './block.ts';
import type { GuardDecision } from './select-candidate.ts';

/** Why the guard allows no node, as one word out of few. */
type RefusalReason = GuardBlock['limit'] | 'unverified';

/** All reasons, and what they mean. */
export const refusalReasons: Readonly<Record<RefusalReason, string>> = {
  targets: 'minimum serving of a Service',
  zone: 'minimum serving in a zone',
  endpoints: 'a PodDisruptionBudget',
  best: 'a Service below its baseline',
  rollout: 'a workload rolls out',
  'stuck-target': 'its controller would not deregister the node',
  unnoticed: 'the load balancer has yet to notice that the node serves nothing',
  candidate: 'pods of its zone would be taken out of load balancers',
  'in-flight': 'enough nodes in progress',
  'do-not-disrupt': 'an annotation of its owner',
  unverified: 'what was observed proves nothing',
};

/** The reason of a refusal; undefined when a node may go, or will once observations have agreed for long enough. */
export function refusalReasonOf({
  node,
  blockedBy,
  stableInMs,
}: Pick<GuardDecision, 'node' | 'blockedBy' | 'stableInMs'>): RefusalReason | undefined {
  if (node !== undefined || stableInMs !== undefined) return undefined;
  return blockedBy?.limit ?? 'unverified';
}
