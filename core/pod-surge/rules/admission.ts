import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * A ReplicaSet that may not let go of a pod does nothing else either: it makes none, deletes none and scales nothing until the label is back
 * (kubernetes/kubernetes, pkg/controller/replicaset/replica_set.go, syncReplicaSet returns before manageReplicas).
 */
export const admission: PodSurgeRule = (pod, { cluster, denials }) => {
  if (denials === undefined || denials.size === 0) return undefined;
  const workload = workloadOf(pod, cluster);
  const denial = denials.get(workload?.key ?? '');
  if (denial === undefined) return undefined;
  return {
    reason: `the cluster does not admit a pod of ${workload?.key ?? 'it'} without owner: ${denial}`,
    hint: 'Have the policy or webhook spare pods with annotation nodeferry.dev/released.',
  };
};
