import { indexOf } from '../../model/cluster-index.ts';
import { podsToMove } from '../../plan/audit/rule.ts';
import { count } from '../../text/format.ts';
import { patchObject } from '../commands.ts';
import type { Rule } from '../rule.ts';

/** WKL-005: pods that are not Ready, under a budget that does not let them leave. */
export const wkl005UnreadyBlock: Rule = {
  id: 'WKL-005',
  severities: ['warning'],
  title: 'Pods that are not ready and cannot be evicted',
  why: 'A pod that runs and is not Ready can only be evicted while its budget is healthy without it. One broken pod blocks its node, and every tool that drains it.',
  fix: 'Set unhealthyPodEvictionPolicy: AlwaysAllow in the PodDisruptionBudget.',
  source: 'KEP-3017; Kubernetes docs, Specifying a Disruption Budget, unhealthy pod eviction policy',
  check: (question) => {
    const moving = new Set(podsToMove(question).map(({ uid }) => uid));
    const { cluster } = question.facts;
    return cluster.budgets.flatMap((budget) => {
      const { namespace, name, currentHealthy, desiredHealthy, evictsUnready = false } = budget;
      if (evictsUnready || currentHealthy >= desiredHealthy) return [];
      const broken = indexOf(cluster)
        .podsOfBudget(budget)
        .filter((pod) => !pod.ready && pod.phase === 'Running' && moving.has(pod.uid));
      if (broken.length === 0) return [];
      const object = { kind: 'PodDisruptionBudget', namespace, name };
      return [
        {
          severity: 'warning' as const,
          object,
          message: `${count(broken.length, 'pod')} not ready, and ${currentHealthy} of ${desiredHealthy} healthy: they cannot be evicted`,
          fix: {
            text: 'Let pods that are not ready be evicted.',
            commands: patchObject(object, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }),
          },
        },
      ];
    });
  },
};
