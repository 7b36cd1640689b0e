import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import type { Policy, WaitPolicy } from '../policy/policy.ts';
import { count, formatDuration } from '../text/format.ts';

/** A share of the nodes that falls silent together points to the API server, not to the nodes. */
const suspiciousShare = 0.25;

/**
 * Why nothing that is seen may be acted upon yet. An API server that comes back after some seconds shows leases that its kubelets
 * could not renew: nodes are found unknown although they serve, and are Ready again a moment later. The same is seen whenever many
 * nodes fall silent at once. Undefined when what is seen can be trusted.
 */
export function findDistrust(facts: ServingFacts, policy: Policy): string | undefined {
  const now = facts.observedAt;
  const { nodes } = facts.cluster;
  const stabilizationMs = policy.waits.stabilizationAfterOutageMs;
  const left = outageSettlesInMs(facts.cluster, policy.waits, now);
  if (left > 0) return `the API server was away; what is seen settles for another ${formatDuration(left)}`;
  const silent = nodes.filter(({ unknownSince }) => unknownSince !== undefined && now - unknownSince < stabilizationMs);
  if (silent.length < 2 || silent.length < suspiciousShare * nodes.length) return undefined;
  return `${count(silent.length, 'node')} of ${nodes.length} fell silent together less than ${formatDuration(stabilizationMs)} ago`;
}

/** Time, ms, that must pass until what is seen after an outage of the API server can be relied on; 0 when none was, or it has settled. */
export function outageSettlesInMs(
  { outageAt }: Pick<ClusterFacts, 'outageAt'>,
  { stabilizationAfterOutageMs }: Pick<WaitPolicy, 'stabilizationAfterOutageMs'>,
  now: number,
): number {
  return outageAt === undefined ? 0 : Math.max(0, outageAt + stabilizationAfterOutageMs - now);
}
