import { balancedServices, stateOf } from '../../guard/serving.ts';
import { indexOf } from '../../model/cluster-index.ts';
import type { AuditRule } from './rule.ts';

/**
 * GRD-002: no target of a load balancer would stay. New nodes take the place of those that an upgrade replaces; nothing takes that of drained ones,
 * and under policy Cluster every node is a target.
 */
export const grd002NoneStay: AuditRule = ({ policy, facts }) => {
  if (policy.selection === undefined) return [];
  const { nodes } = indexOf(facts.cluster);
  const stays = (name: string) => nodes.get(name)?.pool !== policy.pool.name;
  return [...balancedServices(facts).values()].flatMap(({ service }) => {
    const serving = [...stateOf(service, facts).serving.keys()];
    const isLast = service.externalTrafficPolicy === 'Cluster' && serving.length > 0 && !serving.some(stays);
    if (!isLast) return [];
    return [
      {
        rule: 'GRD-002',
        severity: 'blocker' as const,
        subject: `service ${service.key}`,
        message: 'all nodes that its load balancer sends connections to would be drained',
        hint: 'Add nodes first, or drain fewer.',
      },
    ];
  });
};
