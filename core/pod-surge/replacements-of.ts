import { toleratesCordon } from '../eviction/tolerates-cordon.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts, ReleasedFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import { takenAwayBy } from '../model/taken-away.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import { membersOf } from '../policy/members.ts';
import { count, listNames } from '../text/format.ts';
import { type HostsQuestion, type NodesAside, observeHosts } from '../waits/hosts.ts';
import { noteUnready } from '../waits/lacking.ts';
import { isServing, ownedPods } from './owned-pods.ts';
import { countNeeded } from './served-before.ts';

/** A pod that a run has released. */
export type ReleasedPod = PodFacts & { readonly released: ReleasedFacts };

/**
 * Why replacements do not serve yet. `starting`: they are starting, as far as can be observed. `failing`: they run on new nodes, and none of
 * them becomes ready. `refused`: the API server rejects their creation. `kept`: their ReplicaSet still owns the released pods. `hopeless`:
 * they serve on nodes that leave together with the old pods.
 */
export interface Lateness {
  readonly kind: 'starting' | 'failing' | 'refused' | 'kept' | 'hopeless';
  readonly reason: string;
}

/** What decides whether the replacements of a workload's pods serve. */
export interface ReplacementsOfQuestion extends HostsQuestion {
  /** Pods that had no node when the run was planned. The run does not wait for them. */
  readonly unplaced: UnplacedPods;
  /** Nodes whose pods are surged together. A replacement must not run on any of them. */
  readonly batch: readonly Pick<NodeRef, 'name'>[];
}

/**
 * Observes the replacements of one workload's released pods. They serve when every ReplicaSet has as many pods as served before that have been
 * ready for `minReadySeconds` and are ready endpoints of the Services that select them, and when their nodes are healthy in the load balancers
 * of Services with policy Local.
 */
export function observeReplacements(
  pods: readonly ReleasedPod[],
  question: ReplacementsOfQuestion,
): { readonly late?: Lateness; readonly aside: NodesAside } {
  const { cluster } = question.facts;
  for (const group of Map.groupBy(pods, ({ released }) => released.replicaSet.name).values()) {
    const late = findLate(group, question);
    if (late !== undefined) return { late, aside: {} };
  }
  const aside: Record<string, string> = {};
  for (const service of new Set(pods.flatMap((pod) => servicesOf(pod, cluster)))) {
    const hosts = observeHosts(service, question);
    Object.assign(aside, hosts.aside);
    if (hosts.late.length === 0) continue;
    const reason = `${listNames(hosts.late)} not healthy in the load balancers of ${service.key} yet`;
    return { late: { kind: 'starting', reason }, aside };
  }
  return { aside };
}

/** Finds what the pods of one ReplicaSet lack. */
function findLate(group: readonly ReleasedPod[], question: ReplacementsOfQuestion): Lateness | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const { cluster } = question.facts;
  const needs = countNeeded(group, question.unplaced);
  const owned = ownedPods(first.released, first.namespace, cluster);
  const ready = owned.filter(isServing);
  if (ready.length < needs) {
    const { kind, why } = whyNotReady(group, owned, needs, question);
    return { kind, reason: `${ready.length} of ${needs} pods ready${why}` };
  }
  const going = ready.flatMap((pod) => explainGoing(pod, question) ?? []);
  if (ready.length - going.length < needs) {
    const kind = going.every(({ isLasting }) => isLasting) ? 'hopeless' : 'starting';
    const reason = `${ready.length - going.length} of ${needs} pods ready on nodes that stay; ${listNames(going.map(({ why }) => why))}`;
    return { kind, reason };
  }
  const aged = countAvailable(first.released, owned) - going.length;
  if (aged < needs) {
    const reason = `${aged} of ${count(needs, 'pod')} ready for minReadySeconds`;
    return { kind: 'starting', reason };
  }
  const services = [...new Set(ready.flatMap((pod) => servicesOf(pod, cluster)))];
  for (const service of services.filter((one) => lists(one, [...group, ...owned]))) {
    const listed = ready.filter((pod) => !servicesOf(pod, cluster).includes(service) || isReadyEndpoint(pod, service));
    if (listed.length >= needs) continue;
    const reason = `${listed.length} of ${count(needs, 'pod')} are ready endpoints of ${service.key}`;
    return { kind: 'starting', reason };
  }
  return undefined;
}

/**
 * Explains why a ready pod cannot stay on its node: the node leaves in this batch and the pod tolerates its cordon, or an autoscaler has
 * announced that it will delete the node.
 */
function explainGoing(
  pod: PodFacts,
  { facts, batch }: ReplacementsOfQuestion,
): { readonly why: string; readonly isLasting: boolean } | undefined {
  const { name, node = '' } = pod;
  const host = indexOf(facts.cluster).nodes.get(node);
  const taint = host === undefined ? undefined : takenAwayBy(host);
  if (taint !== undefined) return { why: `${name} is on ${node}, which has taint ${taint}`, isLasting: false };
  if (!toleratesCordon(pod) || !batch.some((one) => one.name === node)) return undefined;
  return { why: `${name} is on ${node}, which is leaving: it tolerates the taint of cordoned nodes`, isLasting: true };
}

function whyNotReady(
  group: readonly ReleasedPod[],
  owned: readonly PodFacts[],
  needs: number,
  question: ReplacementsOfQuestion,
): { readonly kind: Lateness['kind']; readonly why: string } {
  const kept = group.find(({ ownerName, released }) => ownerName === released.replicaSet.name);
  if (kept !== undefined) return { kind: 'kept', why: `; ${kept.ownerName} has not released ${kept.name}` };
  const refused = group.find(({ released }) => released.refused !== undefined)?.released.refused;
  if (refused !== undefined) return { kind: 'refused', why: `; no more pods can be created: ${refused}` };
  const failing = findFailing(group, owned, question);
  if (failing.length === 0) return { kind: 'starting', why: noteUnready(owned, needs) };
  const names = failing.map(({ name, node = '' }) => `${name} on ${node}`);
  return { kind: 'failing', why: `; none becomes ready on a new node: ${listNames(names)}` };
}

/**
 * Replacements that run on new nodes, where all of them have a node, all replicas served before, and none becomes ready. Then the new nodes or
 * their present version does not work for them. If some pods were not ready before, that is normal for the workload (a standby that waits for its
 * leader). A pod without a node may get one when another pod has left.
 */
function findFailing(
  group: readonly ReleasedPod[],
  owned: readonly PodFacts[],
  { facts, policy, leaving, unplaced }: ReplacementsOfQuestion,
): readonly PodFacts[] {
  const { nodes } = indexOf(facts.cluster);
  const isWhole = group.every(
    ({ released: { wants = 0, served = 0, workload } }) => served >= wants - (unplaced[workload] ?? 0),
  );
  if (!isWhole || owned.some(({ node }) => node === undefined)) return [];
  const members = membersOf(facts.cluster, policy);
  const fresh = owned.filter(({ node = '' }) => {
    const uid = nodes.get(node)?.uid ?? '';
    return members.new.has(uid) && !leaving.has(uid);
  });
  return fresh.some(({ ready }) => ready) ? [] : fresh;
}

/**
 * The number of pods that have been ready for `minReadySeconds`, from the status of the ReplicaSet. It is a little late, but does not depend on
 * the clock of the worker. Pods that were removed from their endpoints are subtracted.
 */
function countAvailable({ available }: ReleasedFacts, owned: readonly PodFacts[]): number {
  const endpointsRemoved = owned.filter(
    ({ ready, endpointsRemoved: removed }) => ready && removed !== undefined,
  ).length;
  return available === undefined ? Number.POSITIVE_INFINITY : available - endpointsRemoved;
}

/** Whether any of the pods is a ready endpoint of the Service. If none is, something else manages its EndpointSlices, or nothing does. */
function lists(service: ServiceFacts, pods: readonly PodFacts[]): boolean {
  return pods.some((pod) => isReadyEndpoint(pod, service));
}
