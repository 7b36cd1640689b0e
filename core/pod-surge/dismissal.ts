/** Released pods that nobody wants any more: how they leave without a caller being sent to one that is gone. */
import { type BlockedPod, blockedPod, keepTimes, type PodAction, podRefOf } from '../eviction/actions.ts';
import { type DisruptionLedger, openDisruptionLedger } from '../eviction/disruptions.ts';
import { decideStep, type StepQuestion } from '../eviction/eviction-round.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText, formatTime } from '../text/format.ts';
import { isAbandoned, isActive, isReleasedBy, isServing, type ReleasedPod } from './owned-pods.ts';

/** Since when (epoch ms) every look has found neither Deployment nor ReplicaSet of a released pod, by the pod's UID. Plain data. */
export type GoneSince = Readonly<Record<string, number>>;

/** Everything that decides which released pods leave because nobody wants them any more. */
export interface DismissalQuestion extends StepQuestion {
  readonly run: string;
  /** See trackGone. */
  readonly goneSince: GoneSince;
}

/** What to do now with released pods that nobody wants any more, and what can't be done yet. */
export interface Dismissal {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
  /** UIDs of all of them. */
  readonly pods: ReadonlySet<string>;
  /** How many of them are on their way: acted on now, or out of their endpoints already. */
  readonly leaving: number;
}

/** Since when the released pods of a look have had nobody to take them: those that are seen so for the first time as of `now`. */
export function trackGone(known: GoneSince, facts: ClusterFacts, run: string, now: number): GoneSince {
  const gone = facts.pods.filter((pod) => isReleasedBy(pod, run) && isActive(pod) && isAbandoned(pod, facts));
  return keepTimes(known, gone, now);
}

/**
 * Decides what becomes of released pods that nobody wants any more, wherever their run stands:
 * - those of a workload that is scaled to nothing leave at once, as its own do;
 * - those that a workload has beyond all of its replicas leave where others serve in their stead: of what is too many they are the first;
 * - those whose Deployment and ReplicaSet have been gone in looks that agree for a while leave where others serve in their stead. The last
 *   that serve are left alone as long as replacements are waited for elsewhere: whoever deletes a Deployment to make another needs them.
 *
 * Each is taken out of its endpoints first, and goes when that has spread: evicted where its workload keeps others, else deleted. A budget
 * all of whose pods nobody owns lets none go, ever (Kubernetes pkg/controller/disruption, getExpectedPodCount and updatePdbStatus).
 */
export function decideDismissal(question: DismissalQuestion): Dismissal {
  const { facts, run, now } = question;
  const released = facts.pods.filter((pod): pod is ReleasedPod => isActive(pod) && isReleasedBy(pod, run));
  const dismissed = [
    ...released.flatMap((pod) => explainDismissal(pod, question) ?? []),
    ...findBeyondReplicas(released, facts),
  ].toSorted((a, b) => compareText(a.pod.name, b.pod.name));
  const pods = new Set(dismissed.map(({ pod }) => pod.uid));
  const rollback = openDisruptionLedger(facts, now);
  const actions: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const { pod, isLast, hold } of dismissed) {
    const isNeeded = !isLast && pod.endpointsRemoved === undefined && !hasStandIn(pod, pods, facts);
    if (isNeeded && hold === undefined) continue;
    if (isNeeded) blocked.push(blockedPod(pod, hold ?? ''));
    if (isNeeded) continue;
    const step = decideStep(pod, question, isLast ? unguarded : rollback);
    const isKept = !isLast && !isAbandoned(pod, facts);
    if (step.action !== undefined) actions.push(isKept ? step.action : asDeletion(step.action));
    if (step.blocked !== undefined) blocked.push(step.blocked);
  }
  const acted = new Set(actions.map(({ pod }) => pod.uid));
  const leaving = dismissed.filter(({ pod }) => pod.endpointsRemoved !== undefined || acted.has(pod.uid)).length;
  return { actions, blocked, pods, leaving };
}

/** A pod that nobody wants. */
interface Dismissed {
  readonly pod: ReleasedPod;
  /** It leaves even if it is the last that serves. */
  readonly isLast: boolean;
  /** What is told while it is left alone because it is the last. */
  readonly hold?: string;
}

/** Its owners have asked for it: what its own pods meet, the released ones meet too, one after another or not. */
const unguarded: DisruptionLedger = { charge: () => undefined };

function explainDismissal(
  pod: ReleasedPod,
  { facts, policy, now, goneSince }: DismissalQuestion,
): Dismissed | undefined {
  const { workload } = pod.released;
  if (indexOf(facts).workload(workload)?.replicas === 0) return { pod, isLast: true };
  if (!isAbandoned(pod, facts)) return undefined;
  const { stabilizationMs, deadlines } = policy.waits;
  const since = goneSince[pod.uid] ?? now;
  if (since >= now || now - since < stabilizationMs) return undefined;
  const until = since + deadlines.replacementsMs;
  const hold =
    `${workload} is gone, and nobody else serves what this pod does; it is left alone until ${formatTime(until)}: ` +
    'make the Deployment again, or delete its Services';
  return { pod, isLast: now >= until, hold };
}

/** Pods of each workload beyond all that it shall have: those that serve nobody first. */
function findBeyondReplicas(released: readonly ReleasedPod[], facts: ClusterFacts): readonly Dismissed[] {
  const index = indexOf(facts);
  return [...Map.groupBy(released, (pod) => pod.released.workload)].flatMap(([key, pods]) => {
    const workload = index.workload(key);
    if (workload === undefined || workload.replicas === 0) return [];
    const owned = index.podsOfWorkload(key).filter((pod) => isActive(pod) && isServing(pod)).length;
    const serving = pods.filter(isServing).length;
    const spare = Math.min(pods.length, owned + serving) - workload.replicas;
    return pods
      .toSorted((a, b) => Number(isServing(a)) - Number(isServing(b)) || compareText(a.name, b.name))
      .slice(0, Math.max(0, spare))
      .map((pod) => ({ pod, isLast: false }));
  });
}

/** Whoever is sent to the pod finds another that stays: a ready endpoint, and on its own node where load balancers look there. */
function hasStandIn(pod: PodFacts, leaving: ReadonlySet<string>, facts: ClusterFacts): boolean {
  const stays = (other: PodFacts) => other.uid !== pod.uid && !leaving.has(other.uid);
  const index = indexOf(facts);
  const beside = index.podsOn(pod.node ?? '').filter(stays);
  const isServedWithout = (service: ServiceFacts) =>
    service.externalTrafficPolicy === 'Local'
      ? beside.some((other) => isReadyEndpoint(other, service))
      : service.endpoints.some(({ podUid, ready, terminating }) => {
          const other = index.podsByUid.get(podUid ?? '');
          return ready && !terminating && other !== undefined && stays(other);
        });
  return servicesOf(pod, facts)
    .filter((service) => isReadyEndpoint(pod, service))
    .every(isServedWithout);
}

function asDeletion(action: PodAction): PodAction {
  return action.kind === 'evict' ? { kind: 'delete', pod: podRefOf(action.pod) } : action;
}
