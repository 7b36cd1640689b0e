import type { TargetGroupFacts } from '../../model/target-group.ts';
import { needsNewGroup, newGroupCaution } from '../../plan/audit/new-target-group.ts';
import { hostServices } from '../../plan/audit/rule.ts';
import { changeCheck } from '../change-check.ts';
import type { CloudTerms } from '../cloud-terms.ts';
import { patchAnnotations, withCommands } from '../commands.ts';
import type { Fix } from '../fix.ts';
import { named } from '../objects.ts';
import type { AuditedObject, Rule } from '../rule.ts';
import { checksTrafficPort } from '../traffic-port.ts';

/** SVC-003: the health check of a Local Service goes through its traffic port, which terminating pods still answer. */
export const svc003TrafficPortCheck: Rule = {
  id: 'SVC-003',
  severities: ['error'],
  title: 'A health check through the traffic port, with policy Local',
  why: 'A terminating pod still answers on the traffic port, so the check passes until the pod is gone, and the load balancer never learns that its node has no other. kube-proxy answers on healthCheckNodePort, and fails there as soon as the last pod of the node terminates.',
  fix: 'Let the load balancer check healthCheckNodePort with HTTP: remove the annotations that say otherwise.',
  source:
    'kubernetes pkg/proxy/healthcheck/service_health.go; AWS Load Balancer Controller, docs/guide/service/annotations.md',
  needsLoadBalancers: true,
  check: (question) =>
    hostServices(question).flatMap(({ service, groups }) => {
      const wrong = groups.filter((group) => checksTrafficPort(group, service) || isTcp(group));
      const object = named('Service', service.key);
      const ofOthers = (service.nodePortBalancers ?? []).flatMap(({ groups: names, hint }) => {
        const own = wrong.filter(({ name }) => names.includes(name));
        return own.length === 0 ? [] : [{ own, hint }];
      });
      const own = wrong.filter((group) => !ofOthers.some((others) => others.own.includes(group)));
      const error = { severity: 'error' as const, object };
      return [
        ...(own.length === 0
          ? []
          : [
              {
                ...error,
                message: `the health check does not ask kube-proxy on healthCheckNodePort ${service.healthCheckNodePort} (${listChecks(own)})`,
                fix: checkNodePort(object, own, question.terms),
              },
            ]),
        // Nothing makes the controller of an Ingress check another port of the nodes.
        ...ofOthers.map((others) => ({
          ...error,
          message: `the health check asks the pods of a node, those that terminate as well (${listChecks(others.own)})`,
          fix: { text: others.hint },
        })),
      ];
    }),
};

function listChecks(groups: readonly TargetGroupFacts[]): string {
  return groups.map(({ name, healthCheck: { protocol, port } }) => `${name}: ${protocol} on ${port}`).join('; ');
}

function checkNodePort(
  service: AuditedObject,
  groups: readonly TargetGroupFacts[],
  { annotations: own }: CloudTerms,
): Fix {
  const text =
    'Remove what sets port and protocol of its health check: the controller then chooses healthCheckNodePort.';
  const port = own && { [own.healthCheckPort]: null };
  // Every controller changes the port in place.
  if (!groups.some(isTcp)) return { text, ...withCommands(patchAnnotations(service, port)) };
  return {
    text: groups.some(needsNewGroup) ? `${text} ${newGroupCaution}` : text,
    ...changeCheck(service, groups, own && { ...port, [own.healthCheckProtocol]: null }),
  };
}

function isTcp({ healthCheck: { protocol } }: TargetGroupFacts): boolean {
  return protocol === 'TCP';
}
