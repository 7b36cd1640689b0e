import { formatDuration } from '../../text/format.ts';
import { auditedServices, type ClusterRule, drainsNothing } from './rule.ts';

/** Least deregistration delay that AWS recommends for Network Load Balancers (user guide, target group attributes). */
const recommendedMs = 120_000;

/** SVC-008: a deregistration delay shorter than the time in which new connections may still arrive. Where there is none, SVC-030 says more. */
export const svc008ShortDeregistration: ClusterRule = (question) =>
  auditedServices(question).flatMap(({ service, groups }) =>
    groups
      .filter((group) => !drainsNothing(group))
      .filter((group) => group.deregistrationDelayMs < Math.min(recommendedMs, question.policy.waits.propagationMs))
      .map((group) => ({
        rule: 'SVC-008',
        severity: 'warning' as const,
        subject: `service ${service.key}`,
        message: `${group.name} has a deregistration delay of ${formatDuration(group.deregistrationDelayMs)}; new connections may arrive for longer`,
        hint: 'Raise it to 120 seconds or more; nodeferry waits for the propagation in any case.',
      })),
  );
