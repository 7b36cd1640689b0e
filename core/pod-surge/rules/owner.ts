import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * Only the ReplicaSet of a Deployment replaces a pod that it was made to let go, by one of another name: the successor of a StatefulSet's pod
 * needs its name, a Job counts what it loses, and nobody replaces a bare pod.
 */
export const owner: PodSurgeRule = (pod, { cluster }) => {
  if (pod.ownerKind === 'ReplicaSet' && pod.workload?.startsWith('Deployment ') === true) return undefined;
  const keptBy = pod.ownerKind === 'ReplicaSet' ? workloadOf(pod, cluster)?.keptBy : undefined;
  if (keptBy !== undefined)
    return { reason: `${keptBy} owns it, and pod surge replaces only pods of Deployments so far` };
  const who =
    pod.ownerKind === 'none'
      ? 'no controller'
      : `a ${pod.ownerKind === 'other' ? 'controller of its own kind' : pod.ownerKind}`;
  return { reason: `${who} keeps it, and only a Deployment starts a replacement beside a pod` };
};
