import { indexOf } from '../../model/cluster-index.ts';
import { podsOf } from '../../model/endpoints.ts';
import type { NodeRef } from '../../model/node.ts';
import type { PodFacts } from '../../model/pod.ts';
import type { ServiceFacts } from '../../model/service.ts';
import { hasPods, membershipOf, type TargetFacts, type TargetGroupFacts } from '../../model/target-group.ts';
import { targetsOfPod } from '../../model/targets-of.ts';
import { maxReleased, workloadOf } from '../../pod-surge/surge-limit.ts';
import { podSurgeTermsOf } from '../../policy/policy.ts';
import { count } from '../../text/format.ts';
import { auditedServices, type ClusterQuestion, type ClusterRule, podsToMove } from './rule.ts';

/**
 * SVC-025: a load balancer that cannot have old and new targets at the same time: nodes, or pods while their replacements start before they leave. New
 * ones would not be registered.
 */
export const svc025TooManyTargets: ClusterRule = (question) =>
  auditedServices(question).flatMap(({ service, groups }) =>
    [...Map.groupBy(groups, (group) => `${group.loadBalancer}|${hasPods(group)}`).values()].flatMap((own) => {
      const [first] = own;
      if (first?.maxTargets === undefined) return [];
      const ofPods = hasPods(first);
      const worst = (ofPods ? crowdsOfPods : crowdsOfNodes)(question, service, own, first.maxTargets)
        .filter(({ limit, now, added, times }) => added > 0 && (now + added) * times > limit)
        .toSorted((a, b) => b.now + b.added - a.now - a.added)[0];
      if (worst === undefined) return [];
      const { limit, zone, now, added, times } = worst;
      const where = zone === undefined ? '' : ` in ${zone}`;
      const each = times > 1 ? `, each in ${count(times, 'target group')}` : '';
      return [
        {
          rule: 'SVC-025',
          severity: 'warning' as const,
          subject: `service ${service.key}`,
          message: `${first.loadBalancer} can have ${count(limit, 'target')}${where} as far as is known, and would have ${count(now + added, ofPods ? 'target' : 'node')} with ${added} new ones${each}`,
          hint: ofPods
            ? 'Have fewer pods surged at a time (spec.podSurge.max), or have the limit raised first.'
            : explainRoom(worst),
        },
      ];
    }),
  );

/** What a load balancer has and would have, in all or in one zone. */
interface Crowd {
  readonly limit: number;
  readonly zone: string | undefined;
  /** Nodes or pods that are targets, or would be. */
  readonly now: number;
  readonly added: number;
  /** In how many groups each of them is a target. */
  readonly times: number;
}

/** How many new nodes there is room for at a time. In a zone, the new pool may have a part of its nodes only, so the number of a zone is safe for all. */
function explainRoom({ limit, now, times }: Crowd): string {
  const room = Math.floor(limit / times) - now;
  if (room < 1) return 'Have the limit raised first: there is no room for a single new node beside the old ones.';
  return `Let the new pool grow in smaller waves (spec.nodeSurge: ${room}), which takes longer, or have the limit raised first.`;
}

type Limit = NonNullable<TargetGroupFacts['maxTargets']>;

function crowdsOfNodes(
  question: ClusterQuestion,
  service: ServiceFacts,
  groups: readonly TargetGroupFacts[],
  { targets, perZone }: Limit,
): readonly Crowd[] {
  const [first] = groups;
  const hosts = new Set(service.endpoints.map(({ node }) => node));
  const takesAll = first !== undefined && membershipOf(first) === 'all-nodes';
  const isTarget = ({ name }: NodeRef) => takesAll || hosts.has(name);
  const now = question.facts.cluster.nodes.filter((node) => isTarget(node) && !node.excluded);
  const coming = largestPool(question).filter(isTarget);
  const share = shareOf(question, coming.length);
  const zones = perZone ? [...new Set(now.map(({ zone }) => zone))] : [undefined];
  return zones.map((zone) => {
    const isThere = (node: NodeRef) => zone === undefined || node.zone === zone;
    const added = Math.ceil(coming.filter(isThere).length * share);
    return { limit: targets, zone, now: now.filter(isThere).length, added, times: groups.length };
  });
}

/** A pod that is surged has as many targets as its replacement, which is in no certain zone: those of the pods to move are taken for it. */
function crowdsOfPods(
  question: ClusterQuestion,
  service: ServiceFacts,
  groups: readonly TargetGroupFacts[],
  { targets, perZone }: Limit,
): readonly Crowd[] {
  const { cluster } = question.facts;
  const own = new Set(podsOf(service, cluster));
  const moving = podsToMove(question).filter((pod) => own.has(pod));
  const together = surgedTogether(question, moving) * groups.length;
  if (!perZone) {
    const now = groups.flatMap((group) => group.targets.filter(isRegistered)).length;
    return [{ limit: targets, zone: undefined, now, added: together, times: 1 }];
  }
  const zoneOf = ({ node = '' }: PodFacts) => indexOf(cluster).nodes.get(node)?.zone;
  return [...Map.groupBy(own, zoneOf)].flatMap(([zone, there]): Crowd[] => {
    if (zone === undefined) return [];
    const now = there.flatMap((pod) => groups.flatMap((group) => targetsOfPod(pod, group).filter(isRegistered))).length;
    const share = moving.filter((pod) => zoneOf(pod) === zone).length / Math.max(1, moving.length);
    return [{ limit: targets, zone, now, added: Math.ceil(together * share), times: 1 }];
  });
}

function isRegistered({ state }: TargetFacts): boolean {
  return state !== 'draining';
}

/** The most of these pods that run beside their replacements at a time. The plan of a pool knows it of each workload; an audit asks the policy alone. */
function surgedTogether(question: ClusterQuestion, moving: readonly PodFacts[]): number {
  const { facts, policy, podSurge, includesUnobserved } = question;
  const { cluster } = facts;
  const planned = Map.groupBy(podSurge, (one) => one.workload);
  return [...Map.groupBy(moving, (pod) => workloadOf(pod, cluster))].reduce((sum, [workload, pods]) => {
    if (workload === undefined) return sum;
    const isSurged = includesUnobserved === true && podSurgeTermsOf(policy, workload).mode !== 'off';
    const told = planned.get(workload.key)?.map(({ together = 0 }) => together);
    const most = told ?? [isSurged ? maxReleased(workload, { cluster, policy }) : 0];
    return sum + Math.min(pods.length, Math.max(...most));
  }, 0);
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
