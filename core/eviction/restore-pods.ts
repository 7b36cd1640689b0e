import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { type PodFacts, podRefOf } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { type BlockedPod, type PodAction, type RemovedSince } from './actions.ts';
import { blockedByEndpoint, hasPropagated } from './endpoint-removal.ts';
import { decideRemoveAgain } from './readded-labels.ts';
import { deferRejected, type RejectedEvictions } from './rejections.ts';
import { blockedByTarget, type DrainedAt } from './target-removal.ts';

/**
 * Decides what happens to the pods that a run has removed from their endpoints when their node is restored. A pod that still has its
 * controller gets its labels back. One that its controller has released has a replacement already: it is evicted, because an
 * excess pod would only make the controller delete one.
 */
export function decideRestore(node: NodeRef, pods: readonly PodFacts[], run: string): readonly PodAction[] {
  return pods
    .filter((pod) => pod.node === node.name && pod.endpointsRemoved?.by === run && !pod.terminating)
    .map((pod) => ({ kind: isReplaced(pod, run) ? 'evict' : 'restore-endpoints', pod: podRefOf(pod) }));
}

/** A pod that the run has released is adopted by its controller afterwards. */
function isReplaced({ ownerKind, released }: PodFacts, run: string): boolean {
  return ownerKind === 'none' && released?.by !== run;
}

/** Everything that decides the next actions on the removed pods of nodes that are restored. */
export interface RestoreQuestion {
  readonly nodes: readonly NodeRef[];
  readonly facts: ClusterFacts;
  readonly run: string;
  readonly policy: Policy;
  /** Epoch ms. */
  readonly now: number;
  readonly removedAt: RemovedSince;
  readonly drainedAt: DrainedAt;
  readonly rejected: RejectedEvictions;
}

/** What to do now, and what can't be done yet. */
interface RestoreRound {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
}

/**
 * Decides one round of restoring pods. Until every kube-proxy knows that a pod is out of its endpoints, and no load balancer has it as a target, it
 * still gets connections, so it is evicted only after that; a rejected eviction is tried again at the API server's retry time.
 */
export function decideRestoreRound(question: RestoreQuestion): RestoreRound {
  const { nodes, facts, run, policy, now, ...known } = question;
  const { waits } = policy;
  const actions: PodAction[] = [];
  const evictions: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const node of nodes) {
    for (const action of decideRestore(node, indexOf(facts).podsOn(node.name), run)) {
      const { pod } = action;
      const seen = indexOf(facts).podsByUid.get(pod.uid);
      const again = seen && decideRemoveAgain(seen, facts);
      const listed = blockedByEndpoint(pod, facts, waits, now);
      if (action.kind === 'restore-endpoints') actions.push(action);
      else if (again !== undefined) evictions.push(again.action);
      else if (listed !== undefined) blocked.push(listed);
      else if (hasPropagated(pod, facts, known.removedAt, waits, now)) {
        const target = seen && blockedByTarget(seen, question);
        if (target === undefined) evictions.push(action);
        else blocked.push(target);
      }
    }
  }
  const deferred = deferRejected(evictions, known.rejected, facts, now);
  return { actions: [...actions, ...deferred.actions], blocked: [...blocked, ...deferred.blocked] };
}
