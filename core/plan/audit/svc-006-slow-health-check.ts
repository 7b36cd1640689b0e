import { formatDuration } from '../../text/format.ts';
import { evictionReactionMs } from '../../waits/formulas.ts';
import { needsNewGroup, newGroupCaution } from './new-target-group.ts';
import { auditedServices, type ClusterRule } from './rule.ts';

const maxDetectionMs = 60_000;

const hint = 'Lower the interval or the unhealthy threshold of its health check.';

/** SVC-006: a load balancer that notices a failed target slowly sends to it for as long. */
export const svc006SlowHealthCheck: ClusterRule = (question) =>
  auditedServices(question).flatMap(({ service, groups }) =>
    groups.flatMap((group) => {
      const detectedMs = (group.healthCheck.unhealthyThreshold + 1) * group.healthCheck.intervalMs;
      if (detectedMs <= maxDetectionMs) return [];
      return [
        {
          rule: 'SVC-006',
          severity: 'warning' as const,
          subject: `service ${service.key}`,
          message: `${group.name} may send to a failed target for ${formatDuration(evictionReactionMs(group, question.policy.waits))}`,
          hint: needsNewGroup(group) ? `${hint} ${newGroupCaution}` : hint,
        },
      ];
    }),
  );
