import { scaleOf, workloadsOf } from '../guard/scale.ts';
import { indexOf } from '../model/cluster-index.ts';
import { podsOf } from '../model/endpoints.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { EndpointFacts, ServiceFacts } from '../model/service.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import { listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';
import { type HostsQuestion, type NodesAside, observeHosts } from './hosts.ts';
import { findRefused, noteRefused, type RefusedWorkload } from './refused.ts';

/** Ready endpoints by Service key, taken before a node's pods are evicted. Plain data. */
export type EndpointSnapshot = Readonly<Record<string, number>>;

/**
 * Counts the ready endpoints of the Services that have some on the node: those are the ones its leaving must not shrink. Released pods have
 * their replacements among the others, and a pod that stands in for one which has found no node at the beginning is no more than was there.
 */
export function snapshotEndpoints(node: NodeRef, facts: ServingFacts, unplaced: UnplacedPods = {}): EndpointSnapshot {
  const { cluster } = facts;
  const touched = facts.cluster.services.filter((service) => isReplaceableOn(node, service, facts));
  return Object.fromEntries(touched.map((service) => [service.key, countBefore(service)]));

  function countBefore(service: ServiceFacts): number {
    const { podsByUid } = indexOf(cluster);
    const owned = replaceable(service, facts).filter(
      ({ podUid }) => podsByUid.get(podUid ?? '')?.released === undefined,
    ).length;
    const scale = scaleOf(service, cluster);
    if (scale === undefined) return owned;
    const lacks = workloadsOf(service, cluster).reduce((sum, { key }) => sum + (unplaced[key] ?? 0), 0);
    return Math.min(owned, Math.max(0, scale - lacks));
  }
}

/** What is known of the Services that a node had ready endpoints of, and of the nodes that are not waited for. */
export interface ReplacementsQuestion extends Omit<HostsQuestion, 'facts'> {
  readonly facts: ServingFacts;
  readonly before: EndpointSnapshot;
  /** Keys of Services whose workloads are gone for good, pods and all; see isGoneForGood. */
  readonly gone?: readonly string[];
}

/**
 * Replacements serve when every Service has as many ready endpoints as before and, under policy Local, the nodes that host them are
 * healthy in the Service's target groups, as far as that is to be had. Somebody may have scaled its workloads down meanwhile: then what
 * they are scaled to is enough, and nothing where they were deleted for good. Tells the nodes that are not waited for, and whose pods the API
 * server refuses.
 */
export function decideReplacementsServing(
  question: ReplacementsQuestion,
): WaitDecision & { readonly aside: NodesAside; readonly refused: readonly RefusedWorkload[] } {
  const { cluster } = question.facts;
  const problems: string[] = [];
  const lacking: RefusedWorkload[] = [];
  const seen: string[] = [];
  const aside: Record<string, string> = {};
  for (const [key, before] of Object.entries(question.before)) {
    const service = indexOf(cluster).service(key);
    if (service === undefined || question.gone?.includes(key) === true) continue;
    const needs = Math.min(before, scaleOf(service, cluster) ?? before);
    const has = replaceable(service, question.facts).length;
    if (has < needs) {
      const refused = findRefused(workloadsOf(service, cluster), cluster);
      lacking.push(...refused);
      const why = `${notePending(podsOf(service, cluster))}${noteRefused(refused)}`;
      problems.push(`${key} has ${has} of ${needs} ready endpoints${why}`);
      continue;
    }
    const hosts = observeHosts(service, question);
    Object.assign(aside, hosts.aside);
    if (hosts.late.length > 0) problems.push(`${key}: ${listNames(hosts.late)} not healthy in its load balancer yet`);
    else seen.push(`${key} has ${has} of ${needs} ready endpoints`);
  }
  if (problems.length > 0) return { done: false, reason: problems.join('; '), aside, refused: lacking };
  const reason = seen.length === 0 ? 'the node hosted no endpoint' : listNames(seen, 5);
  return { done: true, reason, aside, refused: [] };
}

/** Ready endpoints but those of DaemonSets, which go with their node and are not made up for elsewhere. */
function replaceable(service: ServiceFacts, { cluster }: ServingFacts): ServiceFacts['endpoints'] {
  return readyEndpoints(service, cluster).filter((endpoint) => !goesWithNode(endpoint, cluster));
}

function isReplaceableOn({ name }: NodeRef, service: ServiceFacts, { cluster }: ServingFacts): boolean {
  return readyEndpoints(service, cluster).some(
    (endpoint) => endpoint.node === name && !goesWithNode(endpoint, cluster),
  );
}

function goesWithNode({ podUid }: EndpointFacts, cluster: ClusterFacts): boolean {
  return indexOf(cluster).podsByUid.get(podUid ?? '')?.ownerKind === 'DaemonSet';
}

/** What keeps one of the pods from getting a node, to be appended to what is missing; empty when nothing does. */
export function notePending(pods: readonly PodFacts[]): string {
  const stuck = pods.find((pod) => pod.unschedulableReason !== undefined);
  return stuck === undefined ? '' : `; pod ${stuck.name} can't be placed: ${stuck.unschedulableReason ?? ''}`;
}
