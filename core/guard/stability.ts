import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import type { Policy, WaitPolicy } from '../policy/policy.ts';
import { count, formatDuration } from '../text/format.ts';

/** When at least this share of the nodes becomes silent together, the API server is the likely cause, not the nodes. */
const suspiciousShare = 0.25;

/**
 * Why the run must not act yet on what it observes. An API server that recovers after some seconds shows leases that its kubelets could not
 * renew: nodes have status Unknown although they serve, and are Ready again a moment later. The same is observed whenever many nodes become
 * silent at once. Undefined when the observation can be trusted.
 */
export function explainUnstable(facts: ServingFacts, policy: Policy): string | undefined {
  const now = facts.observedAt;
  const { nodes } = facts.cluster;
  const stabilizationMs = policy.waits.stabilizationAfterOutageMs;
  const left = untilTrustedMs(facts.cluster, policy.waits, now);
  if (left > 0)
    return `the API server was unavailable; observations are not trusted for another ${formatDuration(left)}`;
  const silent = nodes.filter(({ unknownSince }) => unknownSince !== undefined && now - unknownSince < stabilizationMs);
  if (silent.length < 2 || silent.length < suspiciousShare * nodes.length) return undefined;
  return `${count(silent.length, 'node')} of ${nodes.length} fell silent together less than ${formatDuration(stabilizationMs)} ago`;
}

/** Time, ms, until an observation after an outage of the API server can be trusted. 0 when there was no outage, or when that time has passed. */
export function untilTrustedMs(
  { outageAt }: Pick<ClusterFacts, 'outageAt'>,
  { stabilizationAfterOutageMs }: Pick<WaitPolicy, 'stabilizationAfterOutageMs'>,
  now: number,
): number {
  return outageAt === undefined ? 0 : Math.max(0, outageAt + stabilizationAfterOutageMs - now);
}
