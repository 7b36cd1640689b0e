import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/** During a rollout the Deployment replaces its pods itself. A replacement of an old pod would have the old version. */
export const rollout: PodSurgeRule = (pod, { cluster }) => {
  const workload = workloadOf(pod, cluster);
  if (workload === undefined) return undefined;
  if (workload.rollingOut) return { reason: `a rollout of ${workload.key} is in progress`, passes: true };
  if (workload.stalled !== undefined) {
    return {
      reason: `the rollout of ${workload.key} has stalled (${workload.stalled})`,
      hint: `kubectl -n ${workload.namespace} rollout undo deployment/${workload.name}, or fix the new version`,
    };
  }
  if (workload.paused !== true) return undefined;
  return {
    reason: `${workload.key} is paused`,
    hint: `kubectl -n ${workload.namespace} rollout resume deployment/${workload.name}`,
  };
};
