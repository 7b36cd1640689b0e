import { indexOf } from '../model/cluster-index.ts';
import { servicesOf } from '../model/endpoints.ts';
import { isFinished, ownerOf, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';

/**
 * Pods behind Services that were not ready when the run was planned, by owner: how many, and how many pods the owner had. Plain data. Owners whose pods
 * were all ready are left out.
 */
export type UnreadyBefore = Readonly<Record<string, { readonly unready: number; readonly pods: number }>>;

/** Counts them in one observation. */
export function countUnready(cluster: ClusterFacts): UnreadyBefore {
  const unready = cluster.pods.filter((pod) => isUnready(pod) && servicesOf(pod, cluster).length > 0);
  const byOwner = [...Map.groupBy(unready, ownerOf)].toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(
    byOwner.map(([owner, pods]) => [owner, { unready: pods.length, pods: countPods(pods[0], cluster) }]),
  );
}

/** What tells pods that stay unready from those that a run waits for. */
interface LastingQuestion {
  readonly facts: ClusterFacts;
  readonly policy: Pick<Policy, 'waits'>;
  /** Epoch ms. */
  readonly now: number;
  /** Absent where nobody knows: then the run waits for all of them. */
  readonly unreadyBefore?: UnreadyBefore;
}

/**
 * UIDs of pods for which the run does not wait: of each owner as many as were not ready before the run, those first that have been unready for longest. A
 * broken pod stays broken when it moves, so it is not known by its UID. All others may be replacements of pods that the run has moved, and are waited
 * for, however long they take. Of an owner that has been scaled down since, fewer are left out: its unready pods go first (kubernetes
 * pkg/controller/controller_utils.go, ActivePodsWithRanks). A pod that has become unready only now may recover.
 */
export function findLasting(pods: readonly PodFacts[], question: LastingQuestion): ReadonlySet<string> {
  const { facts, unreadyBefore = {} } = question;
  const lasting = pods.filter((pod) => unreadyBefore[ownerOf(pod)] !== undefined && isLasting(pod, question));
  const left = [...Map.groupBy(lasting, ownerOf)].flatMap(([owner, own]) => {
    const { unready = 0, pods: before = 0 } = unreadyBefore[owner] ?? {};
    const fewer = Math.max(0, before - countPods(own[0], facts));
    return own.toSorted((a, b) => sinceOf(a) - sinceOf(b)).slice(0, Math.max(0, unready - fewer));
  });
  return new Set(left.map(({ uid }) => uid));
}

function isLasting(pod: PodFacts, { policy, now }: LastingQuestion): boolean {
  if (!isUnready(pod)) return false;
  if (pod.node === undefined) return pod.unschedulableReason !== undefined;
  return pod.unreadySince !== undefined && now - pod.unreadySince >= policy.waits.stabilizationAfterOutageMs;
}

function isUnready(pod: PodFacts): boolean {
  return !pod.ready && pod.endpointsRemoved === undefined && isActive(pod);
}

function isActive(pod: PodFacts): boolean {
  return !pod.terminating && !isFinished(pod);
}

function sinceOf({ unreadySince = Number.NEGATIVE_INFINITY }: PodFacts): number {
  return unreadySince;
}

/** How many pods the owner of this pod has. */
function countPods(one: PodFacts | undefined, cluster: ClusterFacts): number {
  if (one === undefined) return 0;
  const owner = ownerOf(one);
  return indexOf(cluster)
    .podsIn(one.namespace)
    .filter((pod) => isActive(pod) && ownerOf(pod) === owner).length;
}
