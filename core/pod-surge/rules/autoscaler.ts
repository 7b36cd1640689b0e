import { onceFor } from '../../model/cluster-index.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import { workloadOf } from '../surge-limit.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * Some autoscalers treat a workload with released pods as if it were larger. See map-autoscaler.ts for which. The rule does not apply to a
 * workload that the policy names.
 */
export const autoscaler: PodSurgeRule = (pod, { cluster, policy }) => {
  if (cluster.autoscalers === undefined || cluster.autoscalers.length === 0) return undefined;
  const workload = workloadOf(pod, cluster);
  const found = autoscalersOf(cluster).get(workload?.key ?? '');
  if (workload === undefined || found === undefined) return undefined;
  const name = `${workload.namespace}/${workload.name}`;
  if (policy.podSurge?.workloads[name] !== undefined) return undefined;
  return {
    reason: `${found.key} ${found.counts}`,
    hint: `Set mode auto in spec.podSurge.workloads['${name}'] to surge it anyway.`,
  };
};

const autoscalersOf = onceFor(
  ({ autoscalers = [] }: ClusterFacts) => new Map(autoscalers.map((one) => [one.workload, one])),
);
