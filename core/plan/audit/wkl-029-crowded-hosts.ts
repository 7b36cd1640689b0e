import { findCrowded } from '../../pod-surge/host-spread.ts';
import { count } from '../../text/format.ts';
import { groupByWorkload } from './per-workload.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/**
 * WKL-029: more pods are needed than fit beside emptied nodes, because their spread over hosts counts those nodes too. The last nodes would wait
 * for replacements that wait for those nodes to be gone.
 */
export const wkl029CrowdedHosts: AuditRule = (question) => {
  const { policy, facts, podSurge } = question;
  const surged = new Set(podSurge.filter(({ how }) => how === 'pod surge').map(({ workload }) => workload));
  return groupByWorkload('WKL-029', podsToMove(question), (pod) => {
    const crowded = findCrowded(pod, facts.cluster, policy);
    if (crowded === undefined || surged.has(crowded.workload.key)) return undefined;
    const { pods, spread, fit } = crowded;
    return {
      severity: 'blocker',
      message: `its topologySpreadConstraints by ${spread.topologyKey} (maxSkew ${spread.maxSkew}) count emptied nodes too: ${fit} of ${count(pods, 'pod')} fit, the others would wait for old nodes to be gone, and those for them`,
      hint: `Set nodeTaintsPolicy: Honor in the constraint, or maxSkew to ${Math.ceil((pods * spread.maxSkew) / Math.max(1, fit))} or more; then plan again.`,
    };
  });
};
