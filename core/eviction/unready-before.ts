import { indexOf } from '../model/cluster-index.ts';
import { servicesOf } from '../model/endpoints.ts';
import { isActive, ownerOf, type PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';

/**
 * Pods behind Services that were not ready when the run was planned, and not merely starting, by owner: how many, and how many pods the owner had. Plain
 * data. Owners that had none are left out.
 */
export type UnreadyBefore = Readonly<Record<string, { readonly unready: number; readonly pods: number }>>;

/** What tells pods that stay unready from those that a run waits for. */
interface LastingQuestion {
  readonly facts: ClusterFacts;
  readonly policy: Pick<Policy, 'waits'>;
  /** Epoch ms. */
  readonly now: number;
}

/** Counts them in one observation. A pod that has turned unready only now may recover at once, e.g. when a rollout ends. */
export function countUnready(question: LastingQuestion): UnreadyBefore {
  const { facts } = question;
  const unready = facts.pods.filter((pod) => isLasting(pod, question) && servicesOf(pod, facts).length > 0);
  const byOwner = [...Map.groupBy(unready, ownerOf)].toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(
    byOwner.map(([owner, pods]) => [owner, { unready: pods.length, pods: countPods(pods[0], facts) }]),
  );
}

/**
 * UIDs of pods for which the run does not wait: of each owner as many as were not ready before the run, those first that have been unready for longest. A
 * broken pod stays broken when it moves, so it is not known by its UID. All others may be replacements of pods that the run has moved, and are waited
 * for, however long they take. Of an owner that has been scaled down since, fewer are left out: its unready pods go first (kubernetes
 * pkg/controller/controller_utils.go, ActivePodsWithRanks). So they are of one that has been scaled up: a new pod may be unready while those from before
 * have recovered. A pod that has become unready only now may recover. Without `unreadyBefore` nobody knows, and the run waits for all of them.
 */
export function findLasting(
  pods: readonly PodFacts[],
  question: LastingQuestion & { readonly unreadyBefore?: UnreadyBefore },
): ReadonlySet<string> {
  const { facts, unreadyBefore = {} } = question;
  const lasting = pods.filter((pod) => unreadyBefore[ownerOf(pod)] !== undefined && isLasting(pod, question));
  const left = [...Map.groupBy(lasting, ownerOf)].flatMap(([owner, own]) => {
    const { unready = 0, pods: before = 0 } = unreadyBefore[owner] ?? {};
    const scaled = Math.abs(countPods(own[0], facts) - before);
    return own.toSorted((a, b) => sinceOf(a) - sinceOf(b)).slice(0, Math.max(0, unready - scaled));
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
