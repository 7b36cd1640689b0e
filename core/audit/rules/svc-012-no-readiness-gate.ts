import { podsOf } from '../../model/endpoints.ts';
import { isActive, type PodFacts } from '../../model/pod.ts';
import { hasPods } from '../../model/target-group.ts';
import { auditedServices } from '../../plan/audit/rule.ts';
import { count } from '../../text/format.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';

/** SVC-012: pods that are targets themselves, and are Ready before the load balancer sends to them. */
export const svc012NoReadinessGate: Rule = {
  id: 'SVC-012',
  severities: ['error'],
  title: 'Pods as targets, without a readiness gate',
  why: 'A new pod is Ready before the load balancer knows it, which takes minutes. Until then budgets and rollouts count it as serving, and the pods that do serve may leave.',
  fix: 'Have the controller inject readiness gates in the namespace, and restart the pods: gates are injected at creation only.',
  source:
    'AWS Load Balancer Controller, docs/deploy/pod_readiness_gate.md; GKE documentation, Container-native load balancing, Pod readiness',
  needsLoadBalancers: true,
  check: (question) => {
    const { facts, nodes, terms } = question;
    const { readinessGates } = terms;
    if (readinessGates === undefined) return [];
    const names = new Set(nodes.map(({ name }) => name));
    const hasGate = ({ lifecycle }: PodFacts) =>
      (lifecycle?.readinessGates ?? []).some((gate) => readinessGates.some((begins) => gate.startsWith(begins)));
    return auditedServices(question).flatMap(({ service, groups }) => {
      if (!groups.some(hasPods)) return [];
      const own = podsOf(service, facts.cluster).filter(isActive);
      const without = own.filter((pod) => !hasGate(pod));
      if (!without.some(({ node }) => node !== undefined && names.has(node))) return [];
      const object = named('Service', service.key);
      const { namespace = '' } = object;
      const workloads = [...new Set(without.flatMap(({ workload }) => workload ?? []))].toSorted();
      return [
        {
          severity: 'error' as const,
          object,
          message: `its load balancer sends to pods, and ${without.length} of ${count(own.length, 'pod')} have no readiness gate`,
          fix: {
            text: 'Have the controller of the load balancer inject readiness gates, then restart the workloads: gates are injected at creation only.',
            commands: [
              ...(terms.readinessGateLabels === undefined
                ? []
                : [`kubectl label namespace ${namespace} ${terms.readinessGateLabels.join(' ')}`]),
              ...workloads.map((workload) => restart(workload, namespace)),
            ],
          },
        },
      ];
    });
  },
};

function restart(workload: string, namespace: string): string {
  const [kind = '', key = ''] = workload.split(' ');
  return `kubectl -n ${namespace} rollout restart ${kind.toLowerCase()} ${key.slice(namespace.length + 1)}`;
}
