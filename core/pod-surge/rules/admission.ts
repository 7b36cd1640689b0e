import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * A ReplicaSet that is not allowed to release a pod does nothing else either. It creates and deletes no pod until the label is restored
 * (kubernetes/kubernetes, pkg/controller/replicaset/replica_set.go, syncReplicaSet returns before manageReplicas).
 */
export const admission: PodSurgeRule = (pod, { cluster, denials }) => {
  if (denials === undefined || denials.size === 0) return undefined;
  const workload = workloadOf(pod, cluster);
  const denial = denials.get(workload?.key ?? '');
  if (denial === undefined) return undefined;
  return {
    reason: `the cluster does not admit a pod of ${workload?.key ?? 'it'} without owner: ${denial}`,
    hint: 'Exempt pods with annotation nodeferry.dev/released in the policy or webhook.',
    denied: true,
  };
};
