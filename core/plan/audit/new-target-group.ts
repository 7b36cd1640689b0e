import type { TargetGroupFacts } from '../../model/target-group.ts';

/** Whether another interval or protocol of its health check leaves a Service without a healthy target for a while. */
export function needsNewGroup({ followsService }: TargetGroupFacts): boolean {
  return followsService === 'with-new-group';
}

/** What to say then to whoever is told to change it. */
export const newGroupCaution =
  'Not while clients depend on it: its controller makes a new target group for another interval or protocol, and the Service has no healthy target for minutes. Have a second Service with a load balancer of its own take over, or do it in a maintenance window.';
