import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/** While a Deployment exchanges its pods, each goes away by itself; a replacement of one would be of the version that goes. */
export const rollout: PodSurgeRule = (pod, { cluster }) => {
  const workload = workloadOf(pod, cluster);
  if (workload === undefined) return undefined;
  if (workload.rollingOut) return { reason: `${workload.key} rolls out`, passes: true };
  if (workload.stalled !== undefined) {
    return {
      reason: `${workload.key} has stopped half way in a rollout (${workload.stalled})`,
      hint: `kubectl -n ${workload.namespace} rollout undo deployment/${workload.name}, or fix the new version`,
    };
  }
  if (workload.paused !== true) return undefined;
  return {
    reason: `${workload.key} is paused`,
    hint: `kubectl -n ${workload.namespace} rollout resume deployment/${workload.name}`,
  };
};
