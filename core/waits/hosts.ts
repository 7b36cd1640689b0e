import { balancedServices, targetGroupsOf } from '../guard/serving.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isExcludedFrom } from '../model/excluded-from.ts';
import type { NodeFacts } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import { servesIn } from '../model/pod-targets.ts';
import { reachOf } from '../model/reach.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import { hasPods, type TargetGroupFacts, type TargetState } from '../model/target-group.ts';
import { instanceTargets, targetsOf, targetsOfPod } from '../model/targets-of.ts';
import { type MemberPolicy, type Members, membersOf, type NodeUids } from '../policy/members.ts';

/**
 * Nodes, and pods that are targets, for which the run does not wait although load balancers send nothing to them: by name, each with an explanation. Pods
 * in a zone that is not enabled are told of together, by group and zone.
 */
export type NodesAside = Readonly<Record<string, string>>;

/** What distinguishes the nodes that have to become healthy from those that the run cannot make healthy. */
export interface HostsQuestion {
  readonly facts: ServingFacts;
  readonly policy: MemberPolicy;
  /** The nodes that are leaving, once they are cordoned. */
  readonly leaving: NodeUids;
  /** The nodes set aside when the wait began. */
  readonly aside: NodesAside;
  /** Whether the run still waits for nodes of other pools to become healthy. */
  readonly patient: boolean;
  /** The run has not changed anything yet: it waits for no node that stays. */
  readonly isBefore?: boolean;
}

/** Nodes that host ready endpoints of a Service and are not healthy in its load balancers: `late` ones to wait for, and those set aside. */
interface HostsObservation {
  readonly late: readonly string[];
  readonly aside: NodesAside;
}

/**
 * Observes the nodes that host ready endpoints of a Service with policy Local. Nodes of the two pools of the run have to be healthy in all its
 * target groups, with three exceptions: the zone of the node is not enabled in the group (state `unused`; Elastic Load Balancing API,
 * TargetHealth: Target.NotInUse), the group has no nodes of these pools, or it never had a healthy target: then they have to be registered. The run does not wait for a node of another pool that was not
 * healthy before or cannot become healthy. Leaving nodes need not be healthy.
 */
export function observeHosts(service: ServiceFacts, question: HostsQuestion): HostsObservation {
  const { facts, leaving } = question;
  const all = targetGroupsOf(service.key, facts);
  const ofPods = observePods(service, all.filter(hasPods), question);
  const groups = all.filter((group) => !hasPods(group));
  if (service.externalTrafficPolicy === 'Cluster' || reachOf(service, all) === 'pod') return ofPods;
  const hosts = new Set(readyEndpoints(service, facts.cluster).map(({ node }) => node));
  const late: string[] = [...ofPods.late];
  const aside: Record<string, string> = { ...ofPods.aside };
  for (const node of facts.cluster.nodes) {
    if (!hosts.has(node.name) || (leaving.has(node.uid) && node.cordoned)) continue;
    const open = groups.filter((one) => !isExcludedFrom(node, one));
    const group = open.find((one) => !isHealthy(node, one));
    if (group === undefined) continue;
    if (isLate(node, open, question)) late.push(node.name);
    else aside[node.name] = explainAside(node, service, group);
  }
  return { late, aside };
}

/**
 * The same for pods that are targets themselves. Pods in a zone that is not enabled (state `unused`), and pods on nodes of other pools that were no
 * healthy targets before, are set aside.
 */
function observePods(
  service: ServiceFacts,
  groups: readonly TargetGroupFacts[],
  { facts, policy, leaving, aside: known, patient, isBefore = false }: HostsQuestion,
): HostsObservation {
  const late: string[] = [];
  const aside: Record<string, string> = {};
  const { nodes, podsByUid } = indexOf(facts.cluster);
  const members = membersOf(facts.cluster, policy);
  for (const { podUid } of groups.length === 0 ? [] : readyEndpoints(service, facts.cluster)) {
    const pod = podsByUid.get(podUid ?? '');
    const node = nodes.get(pod?.node ?? '');
    if (pod === undefined || node === undefined || (leaving.has(node.uid) && node.cordoned)) continue;
    const group = groups.find((one) => !servesIn(pod, one));
    const unused = groups.find((one) => targetsOfPod(pod, one).some(({ state }) => state === 'unused'));
    if (group === undefined) {
      // Once for each zone: there may be thousands of them, and each node that is excluded has the list.
      if (unused !== undefined) aside[`${unused.name} in ${node.zone}`] = explainUnused(node.zone, service, unused);
      continue;
    }
    const name = `${pod.namespace}/${pod.name}`;
    const isOwn = takesPart(node.uid, members) || (members.staying.has(node.uid) && !isBefore);
    if (known[name] === undefined && (isOwn || patient)) late.push(`pod ${name}`);
    else aside[name] = explainPodAside(pod, service, group);
  }
  return { late, aside };
}

/**
 * Nodes to which load balancers send nothing although they host ready endpoints, before the run changes anything. `services` limits it to
 * Services by key.
 */
export function findAside(
  question: Omit<HostsQuestion, 'aside' | 'patient' | 'isBefore'>,
  services?: readonly string[],
): NodesAside {
  const found: Record<string, string> = {};
  for (const [key, { service }] of balancedServices(question.facts))
    if (services?.includes(key) !== false)
      Object.assign(found, observeHosts(service, { ...question, aside: {}, patient: false, isBefore: true }).aside);
  return found;
}

function isLate(node: NodeFacts, groups: readonly TargetGroupFacts[], question: HostsQuestion): boolean {
  const { facts, policy, aside, patient, isBefore = false } = question;
  if (node.madeForOnePod === true) return false;
  // Nodes that stay in the pool take what the drained ones served, so they are waited for, unless they were not healthy before either.
  const members = membersOf(facts.cluster, policy);
  if (members.staying.has(node.uid)) {
    if (isBefore || aside[node.name] !== undefined) return false;
    return groups.some((group) => !isUnused(node, group) && !isHealthy(node, group));
  }
  const isOwn = takesPart(node.uid, members);
  if (!isOwn) return patient && aside[node.name] === undefined && !groups.some((group) => isUnused(node, group));
  const open = groups.filter((group) => !isUnused(node, group) && takesMembers(group, facts, members));
  return open.some((group) => !isHealthy(node, group));
}

function takesMembers(group: TargetGroupFacts, { cluster }: ServingFacts, members: Members): boolean {
  const { nodesByInstance } = indexOf(cluster);
  return instanceTargets(group).some(
    ({ instanceId, state }) => state !== 'unused' && takesPart(nodesByInstance.get(instanceId)?.uid, members),
  );
}

function takesPart(uid = '', members: Members): boolean {
  return members.old.has(uid) || members.new.has(uid);
}

/** A target that drains, or that was never checked, serves nowhere. */
const unsure: readonly TargetState[] = ['draining', 'initial'];

/** Whether the node is a healthy target of the group. In a group that never had one it only has to be a target that has been checked; see servesIn. */
function isHealthy(node: NodeFacts, group: TargetGroupFacts): boolean {
  const targets = targetsOf(node, group);
  if (group.silent === true) {
    return group.targets.length === 0 || (targets.length > 0 && !targets.some(({ state }) => unsure.includes(state)));
  }
  return targets.length > 0 && targets.every((target) => target.state === 'healthy');
}

function isUnused(node: NodeFacts, group: TargetGroupFacts): boolean {
  return targetsOf(node, group).some(({ state }) => state === 'unused');
}

function explainUnused(zone: string, { key }: ServiceFacts, { name }: TargetGroupFacts): string {
  return `${name} sends nothing to ready pods of ${key} in zone ${zone} (unused)`;
}

function explainPodAside(pod: PodFacts, { key }: ServiceFacts, group: TargetGroupFacts): string {
  const states = targetsOfPod(pod, group).map(({ state }) => state);
  const how = states.length === 0 ? 'not registered' : states.join(', ');
  return `${group.name} sends nothing to ready pod ${pod.namespace}/${pod.name} of ${key} (${how})`;
}

function explainAside(node: NodeFacts, { key }: ServiceFacts, group: TargetGroupFacts): string {
  const states = targetsOf(node, group).map(({ state }) => state);
  const how = states.length === 0 ? 'not registered' : states.join(', ');
  return `${group.name} sends nothing to a ready pod of ${key} on ${node.name} (${how})`;
}
