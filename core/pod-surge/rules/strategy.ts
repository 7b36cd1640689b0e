import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/** A Deployment that never has a pod beside another in its own rollouts is not made to have one here. */
export const strategy: PodSurgeRule = (pod, { cluster }) => {
  const workload = workloadOf(pod, cluster);
  if (workload?.surge === undefined || workload.surge > 0) return undefined;
  return {
    reason: `the strategy of ${workload.key} allows no pod beyond its replicas`,
    hint: 'Give it strategy RollingUpdate with a maxSurge above 0 if two of its pods may run beside each other.',
  };
};
