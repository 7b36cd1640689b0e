import type { ServiceFacts } from '../../model/service.ts';
import type { TargetGroupFacts } from '../../model/target-group.ts';
import { needsNewGroup, newGroupCaution } from '../../plan/audit/new-target-group.ts';
import { hostServices } from '../../plan/audit/rule.ts';
import { patchAnnotations, patchObject, withCommands } from '../commands.ts';
import type { Fix } from '../fix.ts';
import { named } from '../objects.ts';
import type { AuditedObject, Rule } from '../rule.ts';
import { checksTrafficPort } from '../traffic-port.ts';

/** SVC-004: the health check of a Local Service goes to a port on which nobody answers for the Service. */
export const svc004HealthCheckPort: Rule = {
  id: 'SVC-004',
  severities: ['error'],
  title: 'A health check on another port than healthCheckNodePort',
  why: 'With policy Local only healthCheckNodePort tells whether a node has a ready pod. A check on a fixed port passes or fails whatever the pods do.',
  fix: 'Let the load balancer check healthCheckNodePort: remove the annotation that sets another port.',
  source: 'k8s.io/cloud-provider service/helpers, GetServiceHealthCheckPathPort',
  needsLoadBalancers: true,
  check: (question) =>
    hostServices(question).flatMap(({ service, groups }) => {
      const object = named('Service', service.key);
      // Only a Service of type LoadBalancer has one.
      if (service.healthCheckNodePort === 0 && service.type === 'LoadBalancer')
        return [
          {
            severity: 'error' as const,
            object,
            message: 'policy Local without a healthCheckNodePort: no health check can tell which nodes have pods',
            fix: allocatePort(object, groups),
          },
        ];
      const wrong = groups.filter((group) => checksOther(group, service));
      if (wrong.length === 0) return [];
      const ports = wrong.map(({ name, healthCheck: { port } }) => `${name}: ${port}`).join('; ');
      const { annotations: own } = question.terms;
      const annotations = own && { [own.healthCheckPort]: null };
      return [
        {
          severity: 'error' as const,
          object,
          message: `the health check goes to another port (${ports}) than healthCheckNodePort ${service.healthCheckNodePort}`,
          fix: {
            text: 'Remove what sets the port of its health check.',
            ...withCommands(patchAnnotations(object, annotations)),
          },
        },
      ];
    }),
};

/** Each policy has a health check of its own, so its controller changes that twice. */
function allocatePort(service: AuditedObject, groups: readonly TargetGroupFacts[]): Fix {
  const text = 'Set the policy to Cluster and then to Local again: the API server allocates a port.';
  if (groups.some(needsNewGroup)) return { text: `${text} ${newGroupCaution}` };
  const patches = (['Cluster', 'Local'] as const).flatMap((externalTrafficPolicy) =>
    patchObject(service, { spec: { externalTrafficPolicy } }),
  );
  return { text, commands: patches };
}

/** SVC-003 reports checks through the traffic port. */
function checksOther(group: TargetGroupFacts, service: ServiceFacts): boolean {
  const { protocol, port } = group.healthCheck;
  return protocol !== 'TCP' && !checksTrafficPort(group, service) && port !== String(service.healthCheckNodePort);
}
