import { type PodFacts, type PodRef, podRefOf, type ReleasedFrom } from '../model/pod.ts';
import type { NodeUids } from '../policy/members.ts';
import { compareText } from '../text/format.ts';
import { decideEligibility } from './eligibility.ts';
import { isOutgoing, isServing, ownedPods } from './owned-pods.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { noteServed } from './served-before.ts';

/** Everything that decides which pods are swapped. */
export interface SwapQuestion extends PodSurgeContext {
  readonly run: string;
  /** The nodes that are leaving, once they are cordoned. */
  readonly leaving: NodeUids;
}

/** A swap for one ReplicaSet: it releases some pods and adopts others in their place. It must not delete any of those meanwhile. */
export interface Swap {
  /** Pods whose deletion cost is raised first: the adopted ones, and those that stay. */
  readonly keeps: readonly PodRef[];
  readonly pairs: readonly {
    readonly release: { readonly pod: PodRef; readonly from: ReleasedFrom };
    readonly adopt: PodRef;
  }[];
}

/**
 * Decides which pods are swapped when a run rolls back. A replacement that serves on a leaving node is released, and the pod that it replaced
 * is adopted again, so that the ReplicaSet never lacks a pod. Both keep serving until the released one has left.
 */
export function decideSwaps(question: SwapQuestion): readonly Swap[] {
  const { cluster, run, leaving } = question;
  const back = cluster.pods.filter(
    (pod) => pod.released?.by === run && isServing(pod) && !pod.terminating && !isOutgoing(pod, leaving, cluster),
  );
  const groups = Map.groupBy(back, ({ namespace, released }) => `${namespace}/${released?.replicaSet.name}`);
  return [...groups.values()].flatMap((pods) => decideSwap(pods, question) ?? []);
}

function decideSwap(back: readonly PodFacts[], question: SwapQuestion): Swap | undefined {
  const [first] = back;
  if (first?.released === undefined) return undefined;
  const owned = ownedPods(first.released, first.namespace, question.cluster).filter(isServing);
  const leaving = owned.flatMap((pod) => {
    const eligibility = isOutgoing(pod, question.leaving, question.cluster)
      ? decideEligibility(pod, question)
      : undefined;
    return eligibility?.eligible === true ? [{ pod, from: eligibility.from }] : [];
  });
  const going = noteServed(leaving, question.cluster);
  const pairs = back
    .toSorted((a, b) => compareText(a.name, b.name))
    .slice(0, going.length)
    .flatMap((pod, i) => {
      const release = going[i];
      return release === undefined ? [] : [{ adopt: podRefOf(pod), release }];
    });
  if (pairs.length === 0) return undefined;
  const released = new Set(pairs.map(({ release }) => release.pod.uid));
  const stays = owned.filter(({ uid }) => !released.has(uid));
  return {
    keeps: [...pairs.map(({ adopt }) => adopt), ...stays.map(podRefOf)],
    pairs: pairs.map(({ adopt, release: { pod, from } }) => ({ adopt, release: { pod: podRefOf(pod), from } })),
  };
}
