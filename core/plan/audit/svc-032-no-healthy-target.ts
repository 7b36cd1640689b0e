import { isMute } from '../../guard/silent-groups.ts';
import { readyEndpoints } from '../../model/ready-endpoints.ts';
import type { TargetGroupFacts } from '../../model/target-group.ts';
import { count, listNames } from '../../text/format.ts';
import { type ClusterRule, servicesOnPool } from './rule.ts';

/**
 * SVC-032: a group of pods without any healthy target, although its Service has ready endpoints. Nobody can tell whether the replacements serve there.
 * A group whose targets are all `unused` is in a zone or on a load balancer that nobody uses, and is not reported.
 */
export const svc032NoHealthyTarget: ClusterRule = (question) =>
  servicesOnPool(question).flatMap(({ service, groups }) => {
    const ready = readyEndpoints(service, question.facts.cluster).length;
    if (ready === 0) return [];
    return groups.filter(isMissed).map((group) => ({
      rule: 'SVC-032',
      severity: 'error' as const,
      subject: `service ${service.key}`,
      message: `none of the targets of ${group.name} is healthy (${describeTargets(group)}), although ${ready === 1 ? '1 endpoint is' : `${ready} endpoints are`} ready; a pod leaves as soon as its replacement is ready${group.targets.length === 0 ? '' : ' and registered there'}, whether it serves there or not`,
      hint: `Find out why: the load balancer checks ${describeCheck(group)}. If nothing uses ${group.name} any more, remove what registers the pods there.`,
      leavesUnprotected: true,
    }));
  });

function isMissed(group: TargetGroupFacts): boolean {
  const { targets } = group;
  return isMute(group) && (targets.length === 0 || targets.some(({ state }) => state !== 'unused'));
}

/** `4 targets: 3 unhealthy (Target.Timeout), 1 initial`. */
function describeTargets({ targets }: TargetGroupFacts): string {
  if (targets.length === 0) return 'it has no target';
  const states = [...Map.groupBy(targets, ({ state }) => state)].map(([state, own]) => {
    const reasons = [...new Set(own.flatMap(({ reason }) => reason ?? []))];
    return `${own.length} ${state}${reasons.length === 0 ? '' : ` (${listNames(reasons)})`}`;
  });
  return `${count(targets.length, 'target')}: ${states.join(', ')}`;
}

function describeCheck({ healthCheck: { protocol, port } }: TargetGroupFacts): string {
  return `${protocol}, port ${port}`;
}
