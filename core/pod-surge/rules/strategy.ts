import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/** A Deployment whose own rollouts never start an additional pod gets none here either. */
export const strategy: PodSurgeRule = (pod, { cluster }) => {
  const workload = workloadOf(pod, cluster);
  if (workload?.surge === undefined || workload.surge > 0) return undefined;
  return {
    reason: `the strategy of ${workload.key} allows no pod above its replicas`,
    hint: 'Set strategy RollingUpdate with a maxSurge above 0 if an additional pod may run.',
  };
};
