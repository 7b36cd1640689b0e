import { hasPods, type TargetGroupFacts } from '../../model/target-group.ts';
import { formatDuration } from '../../text/format.ts';
import { connectionDrainMs } from '../../waits/formulas.ts';
import { auditedServices, type ClusterRule, drainsNothing } from './rule.ts';

/** SVC-030: a load balancer that ends the connections of a node or a pod when it deregisters it, or of which nobody says that it does not. */
export const svc030NoDraining: ClusterRule = (question) =>
  auditedServices(question).flatMap(({ service, groups }) =>
    groups.filter(drainsNothing).map((group) => ({
      rule: 'SVC-030',
      severity: 'error' as const,
      subject: `service ${service.key}`,
      message: `${group.name} ${explain(group)}; ${waitedFor(connectionDrainMs([group], question.policy))}`,
      hint: 'Give it a time for draining connections, or move the Service to a load balancer that has one. Clients that connect again lose little.',
      leavesUnprotected: true,
    })),
  );

function explain(group: TargetGroupFacts): string {
  const how =
    group.terminatesConnectionsAfterDelay === 'unknown'
      ? 'drains no connections, and may cut'
      : 'drains no connections: it cuts';
  return `${how} established ones as soon as a ${hasPods(group) ? 'pod' : 'node'} is deregistered`;
}

function waitedFor(ms: number): string {
  return ms === 0
    ? 'nothing is waited for before pods leave'
    : `before pods leave, only new connections are waited for, ${formatDuration(ms)}`;
}
