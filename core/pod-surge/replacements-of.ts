import { toleratesCordon } from '../eviction/tolerates-cordon.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts, ReleasedFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import { takenAwayBy } from '../model/taken-away.ts';
import type { UnplacedPods } from '../model/unplaced.ts';
import { count, listNames } from '../text/format.ts';
import { type HostsQuestion, type NodesAside, observeHosts } from '../waits/hosts.ts';
import { notePending } from '../waits/replacements.ts';
import { isServing, ownedPods } from './owned-pods.ts';
import { countNeeded } from './served-before.ts';

/** A pod that a run has released. */
export type ReleasedPod = PodFacts & { readonly released: ReleasedFacts };

/**
 * Why replacements don't serve yet. `starting`: they are on their way, as far as can be seen; `failing`: they run on new nodes, and not one of
 * them gets ready; `refused`: the API server lets none be created; `kept`: their ReplicaSet has not released what was released; `hopeless`:
 * they serve on nodes that go with those which they stand in for.
 */
export interface Lateness {
  readonly kind: 'starting' | 'failing' | 'refused' | 'kept' | 'hopeless';
  readonly reason: string;
}

/** What the replacements of a workload's pods are measured by. */
export interface ReplacementsOfQuestion extends HostsQuestion {
  /** Pods that had no node when the run was planned: they are not waited for. */
  readonly unplaced: UnplacedPods;
  /** Nodes whose pods are handed over together: none of them is a place for a replacement. */
  readonly wave: readonly Pick<NodeRef, 'name'>[];
}

/**
 * Looks at the replacements of one workload's released pods. They serve when every ReplicaSet has as many pods as served before that are
 * ready for as long as it asks (`minReadySeconds`) and ready endpoints of the Services that select them, and their nodes are healthy where
 * load balancers look.
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

/** What the pods of one ReplicaSet lack. */
function findLate(group: readonly ReleasedPod[], question: ReplacementsOfQuestion): Lateness | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const { cluster } = question.facts;
  const needs = countNeeded(group, question.unplaced);
  const owned = ownedPods(first.released, first.namespace, cluster);
  const ready = owned.filter(isServing);
  if (ready.length < needs) {
    const { kind, why } = whyNotReady(group, owned, question);
    return { kind, reason: `${ready.length} of ${needs} pods ready${why}` };
  }
  const going = ready.flatMap((pod) => explainGoing(pod, question) ?? []);
  if (ready.length - going.length < needs) {
    const kind = going.every(({ isLasting }) => isLasting) ? 'hopeless' : 'starting';
    const reason = `${ready.length - going.length} of ${needs} pods ready where they stay; ${listNames(going.map(({ why }) => why))}`;
    return { kind, reason };
  }
  const aged = countAvailable(first.released, owned) - going.length;
  if (aged < needs) {
    const reason = `${aged} of ${count(needs, 'pod')} ready for as long as minReadySeconds asks`;
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
 * Why a pod that is ready does not stay where it is: its node goes with those that it stands in for, which a cordon has not kept it from, or
 * an autoscaler has announced to end it, and will move the pod then.
 */
function explainGoing(
  pod: PodFacts,
  { facts, wave }: ReplacementsOfQuestion,
): { readonly why: string; readonly isLasting: boolean } | undefined {
  const { name, node = '' } = pod;
  const host = indexOf(facts.cluster).nodes.get(node);
  const taint = host === undefined ? undefined : takenAwayBy(host);
  if (taint !== undefined) return { why: `${name} is on ${node}, which has taint ${taint}`, isLasting: false };
  if (!toleratesCordon(pod) || !wave.some((one) => one.name === node)) return undefined;
  return { why: `${name} is on ${node}, which goes: it tolerates the taint of cordoned nodes`, isLasting: true };
}

function whyNotReady(
  group: readonly ReleasedPod[],
  owned: readonly PodFacts[],
  question: ReplacementsOfQuestion,
): { readonly kind: Lateness['kind']; readonly why: string } {
  const kept = group.find(({ ownerName, released }) => ownerName === released.replicaSet.name);
  if (kept !== undefined) return { kind: 'kept', why: `; ${kept.ownerName} has not released ${kept.name}` };
  const refused = group.find(({ released }) => released.refused !== undefined)?.released.refused;
  if (refused !== undefined) return { kind: 'refused', why: `; no more can be created: ${refused}` };
  const failing = findFailing(group, owned, question);
  if (failing.length === 0) return { kind: 'starting', why: notePending(owned) };
  const names = failing.map(({ name, node = '' }) => `${name} on ${node}`);
  return { kind: 'failing', why: `; none gets ready on a new node: ${listNames(names)}` };
}

/**
 * Replacements that run on new nodes where all of them are there, every one that was wanted served before, and none gets ready: those nodes do
 * not suit them, or the version that they start as now. Where some pods were not ready before that is how the workload is (a standby that
 * waits for its leader), and one that finds no node may find one when another has left.
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
  if (!isWhole || leaving !== policy.pool.name || owned.some(({ node }) => node === undefined)) return [];
  const fresh = owned.filter(({ node = '' }) => {
    const host = nodes.get(node);
    return host?.pool === policy.target.poolName && !(host.pool === leaving && host.cordoned);
  });
  return fresh.some(({ ready }) => ready) ? [] : fresh;
}

/**
 * Pods that have been ready for `minReadySeconds`, as the ReplicaSet's status says; a moment late, but by no clock of ours. Those that were
 * taken out of their endpoints are taken off.
 */
function countAvailable({ available }: ReleasedFacts, owned: readonly PodFacts[]): number {
  const endpointsRemoved = owned.filter(({ ready, endpointsRemoved: mark }) => ready && mark !== undefined).length;
  return available === undefined ? Number.POSITIVE_INFINITY : available - endpointsRemoved;
}

/** Whether its EndpointSlices have any of the pods ready: a Service that lists none is fed by somebody else, or by nobody. */
function lists(service: ServiceFacts, pods: readonly PodFacts[]): boolean {
  return pods.some((pod) => isReadyEndpoint(pod, service));
}
