import { isActive, type PodFacts, podRefOf } from '../model/pod.ts';
import { compareText } from '../text/format.ts';
import { decideEligibility } from './eligibility.ts';
import { isReleasedBy, isServing, ownedPods, type ReleasedPod } from './owned-pods.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { noteServed } from './served-before.ts';
import { isSpared } from './spared.ts';
import type { Swap } from './swap.ts';

/** Everything that decides which pods are swapped when a drain is aborted. */
interface DrainSwapQuestion extends PodSurgeContext {
  readonly run: string;
}

/**
 * Decides which pods are swapped when a drain is aborted. All nodes stay, so every load balancer keeps sending to all of them, and a pod may leave a
 * node only if another there serves the same connections. That holds for many a replacement, which came to a node that had such a pod already, and
 * seldom for the pod that it replaced. So the replacement is released, and the pod that it replaced is adopted again.
 */
export function decideSwapsAfterDrain(question: DrainSwapQuestion): readonly Swap[] {
  const { cluster, run } = question;
  const back = cluster.pods.filter(
    (pod): pod is ReleasedPod =>
      isActive(pod) && isServing(pod) && isReleasedBy(pod, run) && !isSpared(pod, new Set(), cluster),
  );
  const groups = Map.groupBy(back, ({ namespace, released }) => `${namespace}/${released.replicaSet.name}`);
  return [...groups.values()].flatMap((pods) => decideSwap(pods, question) ?? []);
}

function decideSwap(back: readonly ReleasedPod[], question: DrainSwapQuestion): Swap | undefined {
  const { cluster } = question;
  const [first] = back;
  if (first === undefined) return undefined;
  const owned = ownedPods(first.released, first.namespace, cluster).filter(isServing);
  // With fewer, the pods are adopted without a swap.
  if (owned.length < (first.released.wants ?? 0)) return undefined;
  const going = takeSpared(owned, back.length, question);
  const pairs = noteServed(going, cluster).flatMap(({ pod, from }, index) => {
    const adopted = back.toSorted((a, b) => compareText(a.name, b.name))[index];
    return adopted === undefined ? [] : [{ adopt: podRefOf(adopted), release: { pod: podRefOf(pod), from } }];
  });
  if (pairs.length === 0) return undefined;
  const released = new Set(pairs.map(({ release }) => release.pod.uid));
  const stays = owned.filter(({ uid }) => !released.has(uid));
  return { keeps: [...pairs.map(({ adopt }) => adopt), ...stays.map(podRefOf)], pairs };
}

/** At most so many of the pods that may leave their nodes together. */
function takeSpared(owned: readonly PodFacts[], most: number, question: DrainSwapQuestion) {
  const going: { readonly pod: PodFacts; readonly from: Swap['pairs'][number]['release']['from'] }[] = [];
  for (const pod of owned) {
    if (going.length === most) break;
    const without = new Set(going.map((one) => one.pod.uid));
    const eligibility = isSpared(pod, without, question.cluster) ? decideEligibility(pod, question) : undefined;
    if (eligibility?.eligible === true) going.push({ pod, from: eligibility.from });
  }
  return going;
}
