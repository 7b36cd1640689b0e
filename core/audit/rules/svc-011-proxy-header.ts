import type { TargetGroupFacts } from '../../model/target-group.ts';
import { hostServices } from '../../plan/audit/rule.ts';
import type { CloudTerms } from '../cloud-terms.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { attributeFix } from '../target-group-attributes.ts';

/** SVC-011: kube-proxy does not understand the PROXY protocol header that precedes its health checks. */
export const svc011ProxyHeader: Rule = {
  id: 'SVC-011',
  severities: ['error'],
  title: 'The PROXY protocol with policy Local and nodes as targets',
  why: 'The load balancer puts the header before health checks too, and kube-proxy on healthCheckNodePort does not parse it: every node is unhealthy, and the load balancer sends to all of them, with or without a pod.',
  fix: 'Disable the PROXY protocol: with policy Local the source address is preserved without it.',
  source: 'AWS Load Balancer Controller, docs/guide/service/nlb.md',
  needsLoadBalancers: true,
  check: (question) =>
    hostServices(question).flatMap(({ service, groups }) => {
      const sending = groups.filter((group) => group.sendsProxyHeader === true);
      if (sending.length === 0) return [];
      const object = named('Service', service.key);
      return [
        {
          severity: 'error' as const,
          object,
          message: `${sending.map(({ name }) => name).join(', ')} sends PROXY protocol headers, which kube-proxy does not understand on healthCheckNodePort ${service.healthCheckNodePort}`,
          fix: attributeFix(
            object,
            sending,
            question.terms,
            { proxyHeader: false },
            explainDisabling(sending, question.terms),
          ),
        },
      ];
    }),
};

function explainDisabling(groups: readonly TargetGroupFacts[], { annotations }: CloudTerms): string {
  const purpose = 'Disable it: the source address is preserved without it.';
  if (annotations === undefined || groups.every(({ followsService }) => followsService !== 'in-place')) return purpose;
  return `${purpose} Remove the annotation ${annotations.proxyHeader} if the Service has it, because it overrides the attribute.`;
}
