import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WaitPolicy } from '../policy/policy.ts';
import { type BlockedPod, identify, type PodAction, tellHeld, type UnlistedSince } from './actions.ts';
import { decideUnlistAgain } from './given-back-labels.ts';
import { hasSpread, tellListed } from './unlist.ts';

/**
 * Decides what becomes of the pods that a run has taken out of their endpoints when their node is put back. A pod that still has its
 * controller gets its labels back. One that its controller has let go of has a replacement already: it is finished, because a
 * pod too many would only make the controller remove one.
 */
export function decidePutBack(node: NodeRef, pods: readonly PodFacts[], run: string): readonly PodAction[] {
  return pods
    .filter((pod) => pod.node === node.name && pod.unlisted?.by === run && !pod.terminating)
    .map((pod) => ({ kind: isReplaced(pod, run) ? 'evict' : 'relist', pod: identify(pod) }));
}

/** One that was released is given back to its controller afterwards. */
function isReplaced({ ownerKind, released }: PodFacts, run: string): boolean {
  return ownerKind === 'none' && released?.by !== run;
}

/** Evictions that were refused, by pod UID: why, and when (epoch ms) they may be asked for again. Plain data. */
export type RefusedEvictions = Readonly<Record<string, { readonly message: string; readonly againAt: number }>>;

/** Everything that decides the next acts on the unlisted pods of nodes that come back. */
export interface PutBackQuestion {
  readonly nodes: readonly NodeRef[];
  readonly facts: ClusterFacts;
  readonly run: string;
  readonly waits: WaitPolicy;
  /** Epoch ms. */
  readonly now: number;
  readonly unlistedAt: UnlistedSince;
  readonly refused: RefusedEvictions;
}

/** What to do now, and what can't be done yet. */
export interface PutBackRound {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
}

/**
 * Decides one round of putting pods back. Until every kube-proxy knows that a pod is out of its endpoints it still gets connections, so
 * it is evicted only after that; an eviction that was refused is asked for again when the API server said.
 */
export function decidePutBackRound({ nodes, facts, run, waits, now, ...known }: PutBackQuestion): PutBackRound {
  const actions: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const node of nodes) {
    for (const action of decidePutBack(node, indexOf(facts).podsOn(node.name), run)) {
      const { pod } = action;
      const seen = indexOf(facts).podsByUid.get(pod.uid);
      const again = seen && decideUnlistAgain(seen, facts);
      const listed = tellListed(pod, facts, waits, now);
      const refusal = known.refused[pod.uid];
      if (action.kind === 'relist') actions.push(action);
      else if (again !== undefined) actions.push(again.action);
      else if (listed !== undefined) blocked.push(listed);
      else if (refusal !== undefined && now < refusal.againAt) blocked.push(tellRefused(pod, refusal));
      else if (hasSpread(pod, facts, known.unlistedAt, waits, now)) actions.push(action);
    }
  }
  return { actions, blocked };
}

/** A pod whose eviction was refused. */
export function tellRefused(pod: BlockedPod['pod'], { message }: { readonly message: string }): BlockedPod {
  return tellHeld(pod, `its eviction is refused: ${message}`);
}
