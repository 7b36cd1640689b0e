import { isMute } from '../../guard/silent-groups.ts';
import { readyEndpoints } from '../../model/ready-endpoints.ts';
import { hasPods, type TargetGroupFacts } from '../../model/target-group.ts';
import { count, listNames } from '../../text/format.ts';
import type { FindingSeverity } from '../finding.ts';
import { type AuditedService, auditedServices, type ClusterRule, servicesOnPool } from './rule.ts';

/**
 * SVC-032: a target group without any healthy target, although its Service has ready endpoints. Nobody can tell whether the replacements serve there. A
 * group of nodes beside one that works is a warning: its nodes are deregistered all the same, and the guard counts what the others serve. A group
 * whose targets are all `unused` is in a zone or on a load balancer that nobody uses, and is not reported.
 */
export const svc032NoHealthyTarget: ClusterRule = (question) => {
  const onPool = new Set(servicesOnPool(question).map(({ service }) => service));
  return auditedServices(question).flatMap(({ service, groups }) => {
    const ready = readyEndpoints(service, question.facts.cluster).length;
    if (ready === 0) return [];
    // Nodes may be targets whatever pods they have.
    const missed = groups.filter((group) => isMissed(group) && (!hasPods(group) || onPool.has(service)));
    return missed.map((group) => {
      const { severity, so, leavesUnprotected } = judge(group, groups);
      return {
        rule: 'SVC-032',
        severity,
        subject: `service ${service.key}`,
        message: `none of the targets of ${group.name} is healthy (${describeTargets(group)}), although ${ready === 1 ? '1 endpoint is' : `${ready} endpoints are`} ready; ${so}`,
        hint: `Find out why: the load balancer checks ${describeCheck(group)}. If nothing uses ${group.name} any more, remove what registers the ${hasPods(group) ? 'pods there' : 'nodes there, such as a port of the Service'}.`,
        ...(leavesUnprotected ? { leavesUnprotected } : {}),
      };
    });
  });
};

function isMissed(group: TargetGroupFacts): boolean {
  const { targets } = group;
  return isMute(group) && (targets.length === 0 || targets.some(({ state }) => state !== 'unused'));
}

interface Judgement {
  readonly severity: FindingSeverity;
  /** What follows from it. */
  readonly so: string;
  readonly leavesUnprotected: boolean;
}

function judge(group: TargetGroupFacts, groups: AuditedService['groups']): Judgement {
  if (hasPods(group)) {
    const where = group.targets.length === 0 ? '' : ' and registered there';
    const so = `a pod leaves as soon as its replacement is ready${where}, whether it serves there or not`;
    return { severity: 'error', so, leavesUnprotected: true };
  }
  const so = (counted: string) =>
    `what must keep serving is counted in ${counted}, until one of its targets is healthy`;
  if (groups.some((other) => !isMute(other)))
    return { severity: 'warning', so: so('the other target groups'), leavesUnprotected: false };
  return { severity: 'error', so: so('registered targets'), leavesUnprotected: true };
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
