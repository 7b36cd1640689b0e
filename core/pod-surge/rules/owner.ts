import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * Only the ReplicaSet of a Deployment replaces a released pod with one of another name. The replacement of a StatefulSet's pod needs the same
 * name, a Job counts a lost pod as a failure, and nothing replaces a bare pod.
 */
export const owner: PodSurgeRule = (pod, { cluster }) => {
  if (pod.ownerKind === 'ReplicaSet' && pod.workload?.startsWith('Deployment ') === true) return undefined;
  const keptBy = pod.ownerKind === 'ReplicaSet' ? workloadOf(pod, cluster)?.keptBy : undefined;
  if (keptBy !== undefined) return { reason: `${keptBy} controls it, and pod surge supports only pods of Deployments` };
  const who =
    pod.ownerKind === 'none' ? 'nothing' : `a ${pod.ownerKind === 'other' ? 'custom controller' : pod.ownerKind}`;
  return { reason: `${who} controls it, and pod surge supports only pods of Deployments` };
};
