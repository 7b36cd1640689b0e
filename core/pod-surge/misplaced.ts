import { type PodAction } from '../eviction/actions.ts';
import { type DisruptionLedger, openDisruptionLedger } from '../eviction/disruptions.ts';
import { findEvictedWhileEndpoint } from '../eviction/endpoint-removal.ts';
import { decideStep, type StepQuestion } from '../eviction/eviction-round.ts';
import { localStates } from '../guard/counts.ts';
import { scaleOf } from '../guard/scale.ts';
import { indexOf } from '../model/cluster-index.ts';
import { podsOf, readyOtherThan, servicesOf } from '../model/endpoints.ts';
import { type PodFacts, type PodRef, podRefOf, type ReleasedFacts, type ReleasedFrom } from '../model/pod.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import type { NodeUids } from '../policy/members.ts';
import { isEnabled } from '../policy/rules.ts';
import { decideEligibility } from './eligibility.ts';
import { ownedPods } from './owned-pods.ts';
import { findShortZones, type ShortZone, type ShortZonesQuestion } from './short-zones.ts';

/** How often replacements of one workload are moved for a batch. A scheduler that picks zones at random has used every zone by then. */
const maxMoves = 10;

/** Everything that decides whether the replacements of a batch's pods are in the zones that need them. */
export interface PlacesQuestion extends ShortZonesQuestion, Omit<StepQuestion, 'facts'> {
  readonly sharedVolumeClaims: ReadonlySet<string>;
  /** Workloads that are evicted instead of surged. */
  readonly evictedInstead: readonly string[];
  /** The nodes that are leaving. */
  readonly leaving: NodeUids;
  /** How often replacements of the batch's pods were moved, by workload. */
  readonly moves: Readonly<Record<string, number>>;
}

/** A replacement that has to start again. If it is not ready it is evicted, or else released, and leaves once it gets no connections. */
export type Move = { readonly workload: string; readonly pod: PodRef } & (
  | { readonly kind: 'evict' }
  | { readonly kind: 'release'; readonly from: ReleasedFrom }
);

/** A workload that would leave a zone without enough targets when the batch leaves, or that has a moved pod that has not left yet. */
export interface Misplaced {
  readonly workload: string;
  readonly reason: string;
  /** The run cannot change it. */
  readonly isHopeless: boolean;
}

/** The workloads whose replacements are misplaced, and the actions for them. */
export interface Places {
  readonly awaited: readonly Misplaced[];
  readonly moves: readonly Move[];
  /** Actions on moved pods that have not left yet. */
  readonly actions: readonly PodAction[];
}

type ReleasedPod = PodFacts & { readonly released: ReleasedFacts };

/**
 * Checks, before the pods of a batch count as surged, what the guard will check for its nodes: whether each zone that must keep a serving target
 * has one without them. The scheduler may put replacements into any zone. It need not spread them at all, and for a spread constraint that
 * counts released pods the zone that they leave is full. A replacement in a zone that has another one starts again, as long as no load
 * balancer sends connections to it.
 */
export function decidePlaces(question: PlacesQuestion): Places {
  const { facts, policy, leaving, run, evictedInstead } = question;
  if (!isEnabled(policy, 'wait-for-replacements') || !isEnabled(policy, 'capacity-guard'))
    return { awaited: [], moves: [], actions: [] };
  const { nodes } = indexOf(facts.cluster);
  const moved = facts.cluster.pods.filter(
    (pod): pod is ReleasedPod => pod.released?.by === run && !leaving.has(nodes.get(pod.node ?? '')?.uid ?? ''),
  );
  const awaited = new Map<string, Misplaced>();
  for (const { name, released } of moved) {
    const { workload } = released;
    awaited.set(workload, { workload, reason: `pod ${name} was moved and has not left yet`, isHopeless: false });
  }
  const moves: Move[] = [];
  for (const short of findShortZones(question)) {
    const { workload } = short;
    if (evictedInstead.includes(workload) || awaited.has(workload)) continue;
    const { move, why, isHopeless = false } = chooseMove(short, question);
    const reason = `${short.zone} would have no serving target of ${short.service.state.service.key} left: ${why}`;
    awaited.set(workload, { workload, reason, isHopeless });
    if (move !== undefined) moves.push(move);
  }
  return { awaited: [...awaited.values()], moves, actions: decideLeaving(moved, question) };
}

/**
 * Moved pods leave as others do, except those to which a load balancer sends connections meanwhile. Budgets do not apply to a pod as long as
 * its Services have as many ready endpoints without it as they are scaled to.
 */
function decideLeaving(moved: readonly ReleasedPod[], question: PlacesQuestion): readonly PodAction[] {
  const facts = question.facts.cluster;
  const rollback = openDisruptionLedger({ ...question, facts });
  return moved
    .filter((pod) => !pod.terminating && !servesAlone(pod, question.facts))
    .flatMap((pod) => decideStep(pod, { ...question, facts }, isSurplus(pod, facts) ? sparing : rollback).action ?? []);
}

const sparing: DisruptionLedger = { charge: () => undefined };

function isSurplus(pod: PodFacts, cluster: ClusterFacts): boolean {
  return servicesOf(pod, cluster).every(
    (service) => readyOtherThan(pod, service, cluster) >= (scaleOf(service, cluster) ?? 0),
  );
}

/** Selects the replacement that starts again, or explains what the run waits for. */
function chooseMove(
  short: ShortZone,
  question: PlacesQuestion,
): { readonly move?: Move; readonly why: string; readonly isHopeless?: boolean } {
  const { workload, zone, released, namespace } = short;
  const { facts, leaving, moves } = question;
  const { nodes } = indexOf(facts.cluster);
  const owned = ownedPods(released, namespace, facts.cluster);
  if (owned.length < (released.wants ?? 0) || owned.some(({ node }) => node === undefined))
    return { why: 'its replacement has no node yet' };
  const [coming] = hostsIn(zone, short, facts);
  if (coming !== undefined) return { why: `pod ${coming.name} does not serve there yet` };
  const surplus = owned.filter(({ node = '' }) => {
    const host = nodes.get(node);
    if (host === undefined || leaving.has(host.uid)) return false;
    // The only target of a zone that must keep one stays there.
    return short.service.minServing.perZone[host.zone] === undefined || hostsIn(host.zone, short, facts).length > 1;
  });
  const movable = surplus.flatMap((pod) => moveOf(pod, workload, question) ?? []);
  const move = movable.find(({ kind }) => kind === 'evict') ?? movable[0];
  if (move === undefined)
    return { why: 'its replacements serve in other zones, each alone on its node', isHopeless: true };
  if ((moves[workload] ?? 0) >= maxMoves)
    return { why: `its replacements came to other zones ${maxMoves} times`, isHopeless: true };
  return { move, why: `pod ${move.pod.name} came to another zone and starts again` };
}

/** Pods of the Service that remain in the zone when the batch has left, serving or not. */
function hostsIn(zone: string, { service, out }: ShortZone, facts: ServingFacts): readonly PodFacts[] {
  const { nodes } = indexOf(facts.cluster);
  return podsOf(service.state.service, facts.cluster).filter(
    ({ node = '', terminating, phase }) =>
      !terminating && phase !== 'Succeeded' && phase !== 'Failed' && !out.has(node) && nodes.get(node)?.zone === zone,
  );
}

/** How the pod can start again. Undefined when that could break connections. */
function moveOf(pod: PodFacts, workload: string, question: PlacesQuestion): Move | undefined {
  const { facts, policy } = question;
  const { namespace, name, uid } = pod;
  const own = { workload, pod: podRefOf({ namespace, name, uid }) };
  if (servesAlone(pod, facts)) return undefined;
  if (!pod.ready) return { ...own, kind: 'evict' };
  if (findEvictedWhileEndpoint(pod, facts.cluster, policy) !== undefined) return undefined;
  const eligibility = decideEligibility(pod, { ...question, cluster: facts.cluster });
  return eligibility.eligible ? { ...own, kind: 'release', from: eligibility.from } : undefined;
}

/** Whether a load balancer sends connections to its node, and no other pod there serves them. */
function servesAlone(pod: PodFacts, facts: ServingFacts): boolean {
  const { node = '', endpointsRemoved } = pod;
  if (endpointsRemoved !== undefined) return false;
  return localStates(pod, facts).some(({ serving, readyOn }) => serving.has(node) && (readyOn.get(node) ?? 0) < 2);
}
