import { scaleOf, workloadsOf } from '../guard/scale.ts';
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { EndpointFacts, ServiceFacts } from '../model/service.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import { listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';
import { type HostsQuestion, type NodesAside, observeHosts } from './hosts.ts';
import { noteLacking } from './lacking.ts';
import { findRefused, noteRefused, type RefusedWorkload } from './refused.ts';

/** Number of ready endpoints by Service key, before the pods of a node are evicted. Plain data. */
export type EndpointSnapshot = Readonly<Record<string, number>>;

/**
 * Counts the ready endpoints of the Services that have some on the node. These must not become fewer when the node leaves. Released pods do
 * not count, because their replacements do. Replicas that had no node at the beginning of the run do not count either.
 */
export function snapshotEndpoints(node: NodeRef, facts: ServingFacts, unplaced: UnplacedPods = {}): EndpointSnapshot {
  const { cluster } = facts;
  const affected = facts.cluster.services.filter((service) => isReplaceableOn(node, service, facts));
  return Object.fromEntries(affected.map((service) => [service.key, countBefore(service)]));

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

/** What is known about the Services that had ready endpoints on a node, and about the nodes set aside. */
interface ReplacementsQuestion extends Omit<HostsQuestion, 'facts'> {
  readonly facts: ServingFacts;
  readonly before: EndpointSnapshot;
  /** Keys of Services whose workloads were deleted with their pods and do not come back. See isGoneForGood. */
  readonly gone?: readonly string[];
}

/**
 * Replacements serve when every Service has as many ready endpoints as before and, with policy Local, the nodes that host them are healthy in
 * its target groups, except for nodes set aside. If the workloads of a Service were scaled down meanwhile, their new scale is enough. If they
 * were deleted for good, nothing is needed. The result also has the nodes set aside, and the workloads whose pods the API server refuses.
 */
export function decideReplacementsServing(
  question: ReplacementsQuestion,
): WaitDecision & { readonly aside: NodesAside; readonly refused: readonly RefusedWorkload[] } {
  const { cluster } = question.facts;
  const problems: string[] = [];
  const lacking: RefusedWorkload[] = [];
  const serving: string[] = [];
  const aside: Record<string, string> = {};
  for (const [key, before] of Object.entries(question.before)) {
    const service = indexOf(cluster).service(key);
    if (service === undefined || question.gone?.includes(key) === true) continue;
    const needs = Math.min(before, scaleOf(service, cluster) ?? before);
    const has = replaceable(service, question.facts).length;
    if (has < needs) {
      const refused = findRefused(workloadsOf(service, cluster), cluster);
      lacking.push(...refused);
      const why = noteRefused(refused) || noteLacking(service, needs, cluster);
      problems.push(`${key} has ${has} of ${needs} ready endpoints${why}`);
      continue;
    }
    const hosts = observeHosts(service, question);
    Object.assign(aside, hosts.aside);
    if (hosts.late.length > 0) problems.push(`${key}: ${listNames(hosts.late)} not healthy in its load balancer yet`);
    else serving.push(`${key} has ${has} of ${needs} ready endpoints`);
  }
  if (problems.length > 0) return { done: false, reason: problems.join('; '), aside, refused: lacking };
  const reason = serving.length === 0 ? 'the node hosted no endpoint' : listNames(serving, 5);
  return { done: true, reason, aside, refused: [] };
}

/** Ready endpoints except those of DaemonSet pods, which leave with their node and are not replaced on another one. */
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
