import { indexOf } from '../../model/cluster-index.ts';
import { podToHealthyMs } from '../../waits/formulas.ts';
import { patchObject, withCommands } from '../commands.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-015: rollouts that go on before the load balancer has found the new pod healthy. */
export const wkl015RolloutOutrunsCheck: Rule = {
  id: 'WKL-015',
  severities: ['warning'],
  title: 'Rollouts that are faster than the health check',
  why: 'With policy Local a node serves once its health check has passed often enough after its pod became ready. A rollout that does not wait for that takes away pods that serve, for pods that do not yet. Fixes of other findings start rollouts too. Evictions do not consider minReadySeconds; nodeferry asks the load balancer itself.',
  fix: 'Set minReadySeconds of the workload to the time that the finding says.',
  source:
    'Kubernetes docs, Deployments, Min Ready Seconds; Elastic Load Balancing user guide, target group health checks',
  needsLoadBalancers: true,
  check: (question) =>
    groupPods(evictedPods(question), ({ pod, need: { service, hostGroups } }, object) => {
      const workload = indexOf(question.facts.cluster).workload(pod.workload ?? '');
      if (workload === undefined || hostGroups.length === 0) return undefined;
      if (workload.kind !== 'Deployment' && workload.kind !== 'StatefulSet') return undefined;
      const { minReadySeconds: waits = 0 } = workload;
      const needed = Math.ceil(
        Math.max(...hostGroups.map((group) => podToHealthyMs(group, question.policy.waits))) / 1000,
      );
      if (waits >= needed) return undefined;
      return {
        severity: 'warning',
        message: `a rollout goes on ${waits} s after a pod is ready, and its node is healthy after ${needed} s (Service ${service.key})`,
        fix: {
          text: `Let rollouts wait ${needed} s for each pod. The patch starts no rollout.`,
          ...withCommands(patchObject(object, { spec: { minReadySeconds: needed } })),
        },
      };
    }),
};
