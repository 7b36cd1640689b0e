import type { TargetGroupFacts } from '../../model/target-group.ts';
import { formatDuration } from '../../text/format.ts';
import { auditedServices, type ClusterQuestion, type ClusterRule, drainsNothing } from './rule.ts';

/** SVC-008: a deregistration delay shorter than the time in which new connections may still arrive. Where there is none, SVC-030 says more. */
export const svc008ShortDeregistration: ClusterRule = (question) =>
  auditedServices(question).flatMap(({ service, groups }) =>
    groups
      .filter((group) => isDrainedBriefly(group, question))
      .map((group) => ({
        rule: 'SVC-008',
        severity: 'warning' as const,
        subject: `service ${service.key}`,
        message: `${group.name} has a deregistration delay of ${formatDuration(group.deregistrationDelayMs)}; new connections may arrive for longer`,
        hint: 'Raise it to 120 seconds or more; nodeferry waits for the propagation in any case.',
      })),
  );

/** Whether SVC-008 is about the group. */
export function isDrainedBriefly(group: TargetGroupFacts, { policy }: Pick<ClusterQuestion, 'policy'>): boolean {
  const { deregistrationDelayMs, deregistrationLagMs = 0 } = group;
  return !drainsNothing(group) && deregistrationDelayMs < Math.min(deregistrationLagMs, policy.waits.propagationMs);
}
