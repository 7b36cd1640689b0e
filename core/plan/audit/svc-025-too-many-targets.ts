import type { NodeRef } from '../../model/node.ts';
import type { ServiceFacts } from '../../model/service.ts';
import { membershipOf, type TargetGroupFacts } from '../../model/target-group.ts';
import { count } from '../../text/format.ts';
import { auditedServices, type ClusterQuestion, type ClusterRule } from './rule.ts';

/** SVC-025: a load balancer that cannot have old and new nodes as targets at the same time. New nodes would not be registered. */
export const svc025TooManyTargets: ClusterRule = (question) =>
  auditedServices(question).flatMap(({ service, groups }) =>
    [...Map.groupBy(groups, ({ loadBalancer }) => loadBalancer).values()].flatMap((own) => {
      const worst = findWorst(question, service, own);
      if (worst === undefined) return [];
      const { limit, zone, now, added } = worst;
      const where = zone === undefined ? '' : ` in ${zone}`;
      const times = own.length > 1 ? `, each in ${count(own.length, 'target group')}` : '';
      return [
        {
          rule: 'SVC-025',
          severity: 'warning' as const,
          subject: `service ${service.key}`,
          message: `${own[0]?.loadBalancer ?? ''} can have ${count(limit, 'target')}${where} as far as is known, and would have ${count(now + added, 'node')} with ${added} new ones${times}`,
          hint: 'Let the new pool grow in smaller waves (spec.nodeSurge), or have the limit raised first.',
        },
      ];
    }),
  );

interface Crowd {
  readonly limit: number;
  readonly zone: string | undefined;
  /** Nodes that are targets, or would be. */
  readonly now: number;
  readonly added: number;
}

/** Where the limit is exceeded by the greatest number, if it is. */
function findWorst(
  question: ClusterQuestion,
  service: ServiceFacts,
  groups: readonly TargetGroupFacts[],
): Crowd | undefined {
  const [first] = groups;
  if (first?.maxTargets === undefined) return undefined;
  const { targets, perZone } = first.maxTargets;
  const hosts = new Set(service.endpoints.map(({ node }) => node));
  const isTarget = ({ name }: NodeRef) => membershipOf(first) === 'all-nodes' || hosts.has(name);
  const now = question.facts.cluster.nodes.filter((node) => isTarget(node) && !node.excluded);
  const coming = largestPool(question).filter(isTarget);
  const share = shareOf(question, coming.length);
  const zones = perZone ? [...new Set(now.map(({ zone }) => zone))] : [undefined];
  return zones
    .map((zone): Crowd => {
      const isThere = (node: NodeRef) => zone === undefined || node.zone === zone;
      const added = Math.ceil(coming.filter(isThere).length * share);
      return { limit: targets, zone, now: now.filter(isThere).length, added };
    })
    .filter(({ limit, now: have, added }) => added > 0 && (have + added) * groups.length > limit)
    .toSorted((a, b) => b.now + b.added - a.now - a.added)[0];
}

/** Nodes that are replaced together: those of the largest pool among the nodes that are asked about. */
function largestPool({ facts, nodes }: ClusterQuestion): readonly NodeRef[] {
  const pools = new Map(facts.cluster.nodes.map(({ name, pool }) => [name, pool]));
  const groups = [...Map.groupBy(nodes, ({ name }) => pools.get(name)).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

/** Which share of the new nodes exists beside the old ones at a time: all, unless the policy limits it, and none in a drain. */
function shareOf({ policy: { nodeSurge, selection }, includesUnobserved }: ClusterQuestion, nodes: number): number {
  if (selection !== undefined && includesUnobserved !== true) return 0;
  if (nodeSurge === undefined || nodes === 0) return 1;
  return Math.min(1, 'share' in nodeSurge ? nodeSurge.share : nodeSurge.instances / nodes);
}
