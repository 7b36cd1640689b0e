/** How released pods leave that no workload wants any more, without a connection to a pod that is gone. */
import { type BlockedPod, blockedPod, keepTimes, type PodAction } from '../eviction/actions.ts';
import { type DisruptionLedger, openDisruptionLedger } from '../eviction/disruptions.ts';
import { decideStep, type StepQuestion } from '../eviction/eviction-round.ts';
import { indexOf } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import { isActive, type PodFacts, podRefOf } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText, formatTime } from '../text/format.ts';
import { isAbandoned, isReleasedBy, isServing, type ReleasedPod } from './owned-pods.ts';

/** Since when (epoch ms) every observation has found neither the Deployment nor the ReplicaSet of a released pod, by pod UID. Plain data. */
export type GoneSince = Readonly<Record<string, number>>;

/** Everything that decides which released pods leave because no workload wants them any more. */
export interface DismissalQuestion extends StepQuestion {
  readonly run: string;
  /** See trackGone. */
  readonly goneSince: GoneSince;
}

/** What to do now with released pods that no workload wants any more, and which of them are blocked. */
export interface Dismissal {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
  /** UIDs of all of them. */
  readonly pods: ReadonlySet<string>;
  /** How many of them are leaving: acted on now, or already removed from their endpoints. */
  readonly leaving: number;
}

/** Since when the released pods of an observation have had neither Deployment nor ReplicaSet. `now` for those that are new. */
export function trackGone(known: GoneSince, facts: ClusterFacts, run: string, now: number): GoneSince {
  const gone = facts.pods.filter((pod) => isReleasedBy(pod, run) && isActive(pod) && isAbandoned(pod, facts));
  return keepTimes(known, gone, now);
}

/**
 * Decides about released pods that no workload wants any more, in any phase of the run:
 * - If the workload is scaled to zero, they leave at once, as its own pods do.
 * - If the workload has more pods than replicas, the released ones leave first, provided that others serve in their place.
 * - If the Deployment and the ReplicaSet have been gone in agreeing observations for a while, they leave provided that others serve in their
 *   place. The last ones that serve stay for the replacements deadline, because somebody who deletes a Deployment to create another one
 *   needs them.
 *
 * Each is removed from its endpoints first, and leaves when the change has propagated. It is evicted if its workload has other pods, or else
 * deleted: a budget whose pods have no owner never allows a disruption (Kubernetes pkg/controller/disruption, getExpectedPodCount and
 * updatePdbStatus).
 */
export function decideDismissal(question: DismissalQuestion): Dismissal {
  const { facts, run } = question;
  const released = facts.pods.filter((pod): pod is ReleasedPod => isActive(pod) && isReleasedBy(pod, run));
  const dismissed = [
    ...released.flatMap((pod) => explainDismissal(pod, question) ?? []),
    ...findBeyondReplicas(released, facts),
  ].toSorted((a, b) => compareText(a.pod.name, b.pod.name));
  const pods = new Set(dismissed.map(({ pod }) => pod.uid));
  const rollback = openDisruptionLedger(question);
  const actions: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const { pod, mayBeLast, lastReason } of dismissed) {
    const isNeeded = !mayBeLast && pod.endpointsRemoved === undefined && !isServedByOthers(pod, pods, facts);
    if (isNeeded && lastReason === undefined) continue;
    if (isNeeded) blocked.push(blockedPod(pod, lastReason ?? ''));
    if (isNeeded) continue;
    const step = decideStep(pod, question, mayBeLast ? unguarded : rollback);
    const isKept = !mayBeLast && !isAbandoned(pod, facts);
    if (step.action !== undefined) actions.push(isKept ? step.action : asDeletion(step.action));
    if (step.blocked !== undefined) blocked.push(step.blocked);
  }
  const acted = new Set(actions.map(({ pod }) => pod.uid));
  const leaving = dismissed.filter(({ pod }) => pod.endpointsRemoved !== undefined || acted.has(pod.uid)).length;
  return { actions, blocked, pods, leaving };
}

/** A pod that no workload wants. */
interface Dismissed {
  readonly pod: ReleasedPod;
  /** It leaves even if it is the last one that serves. */
  readonly mayBeLast: boolean;
  /** Why it is blocked while it is the last one that serves. */
  readonly lastReason?: string;
}

/** No budgets apply: somebody scaled the workload to zero or deleted it, and the released pods follow its own. */
const unguarded: DisruptionLedger = { charge: () => undefined };

function explainDismissal(
  pod: ReleasedPod,
  { facts, policy, now, goneSince }: DismissalQuestion,
): Dismissed | undefined {
  const { workload } = pod.released;
  if (indexOf(facts).workload(workload)?.replicas === 0) return { pod, mayBeLast: true };
  if (!isAbandoned(pod, facts)) return undefined;
  const { stabilizationMs, deadlines } = policy.waits;
  const since = goneSince[pod.uid] ?? now;
  if (since >= now || now - since < stabilizationMs) return undefined;
  const until = since + deadlines.replacementsMs;
  const lastReason =
    `${workload} is gone, and no other pod serves in place of this one; it stays until ${formatTime(until)}: ` +
    'create the Deployment again, or delete its Services';
  return { pod, mayBeLast: now >= until, lastReason };
}

/** Released pods of each workload in excess of its replicas. Those that do not serve come first. */
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
      .map((pod) => ({ pod, mayBeLast: false }));
  });
}

/** Whether connections to the pod can go to another that stays: a ready endpoint, and with policy Local one on the same node. */
function isServedByOthers(pod: PodFacts, leaving: ReadonlySet<string>, facts: ClusterFacts): boolean {
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
