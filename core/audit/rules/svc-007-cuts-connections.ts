import { patchAnnotations, withCommands } from '../commands.ts';
import { named } from '../objects.ts';
import type { Rule } from '../rule.ts';

/** How long connections usually get to end, seconds: what Elastic Load Balancing takes where draining is enabled without a time. */
const drainSeconds = 300;

/** SVC-007: a load balancer whose controller was not told to let connections end. */
export const svc007CutsConnections: Rule = {
  id: 'SVC-007',
  severities: ['error'],
  title: 'A Classic Load Balancer without connection draining',
  why: 'Its controller leaves connection draining off unless an annotation enables it. The load balancer then closes every connection of a node as soon as the node is deregistered or fails its health check.',
  fix: 'Enable connection draining with the annotation that the finding shows, or move the Service to a Network Load Balancer.',
  source: 'cloud-provider-aws pkg/providers/v1/aws.go; user guide for Classic Load Balancers, connection draining',
  check: ({ facts, nodes, terms }) => {
    const names = new Set(nodes.map(({ name }) => name));
    return facts.cluster.services.flatMap((service) => {
      const { key, cutsConnections = false, externalTrafficPolicy, endpoints } = service;
      // Under policy Cluster every node carries connections.
      const isThere = externalTrafficPolicy === 'Cluster' || endpoints.some(({ node }) => names.has(node ?? ''));
      if (!cutsConnections || !isThere || nodes.length === 0) return [];
      const object = named('Service', key);
      const { annotations: own } = terms;
      const wanted = own && { [own.letsConnectionsEnd]: 'true', [own.connectionEndSeconds]: String(drainSeconds) };
      return [
        {
          severity: 'error' as const,
          object,
          message: 'its load balancer closes the connections of a node as soon as the node is taken out',
          fix: {
            text: `Let connections end for ${drainSeconds} s. The controller applies it at once.`,
            ...withCommands(patchAnnotations(object, wanted)),
          },
        },
      ];
    });
  },
};
