import { hostServices } from '../../plan/audit/rule.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';

/**
 * SVC-011: kube-proxy does not understand the PROXY protocol header that precedes its health checks. No command switches the header off: servers behind it
 * expect it, and reject every new connection without it. Behind AWS PrivateLink nothing else has the address of the client (user guide for Network Load
 * Balancers, "Client IP preservation").
 */
export const svc011ProxyHeader: Rule = {
  id: 'SVC-011',
  severities: ['error'],
  title: 'The PROXY protocol with policy Local and nodes as targets',
  why: 'The load balancer puts the header before health checks too, and kube-proxy on healthCheckNodePort does not parse it: every node is unhealthy, and the load balancer sends to all of them, with or without a pod.',
  fix: 'Do not switch the header off first: a server that expects it rejects every connection without it. Move the clients to a second Service, without the header or with pods as targets and a TCP health check, or have the server accept connections with and without it before you switch it off. With policy Local the source address is preserved without the header, but not behind PrivateLink.',
  source:
    'AWS Load Balancer Controller, docs/guide/service/nlb.md; Elastic Load Balancing user guide for Network Load Balancers, client IP preservation',
  needsLoadBalancers: true,
  check: (question) =>
    hostServices(question).flatMap(({ service, groups }) => {
      const sending = groups.filter((group) => group.sendsProxyHeader === true);
      if (sending.length === 0) return [];
      return [
        {
          severity: 'error' as const,
          object: named('Service', service.key),
          message: `${sending.map(({ name }) => name).join(', ')} sends PROXY protocol headers, which kube-proxy does not understand on healthCheckNodePort ${service.healthCheckNodePort}`,
          fix: { text: svc011ProxyHeader.fix },
        },
      ];
    }),
};
