import type { PodActionResult } from '../core/eviction/actions.ts';
import { explainStays } from '../core/eviction/denied-removal.ts';
import { mayMeetCallers } from '../core/eviction/eviction.ts';
import type { EndpointRemoval } from '../core/eviction/leftover-endpoints.ts';
import {
  blockedByRejection,
  deferRejected,
  noteRejection,
  type RejectedEvictions,
} from '../core/eviction/rejections.ts';
import { decideRestore } from '../core/eviction/restore-pods.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { PodRef } from '../core/model/pod.ts';
import type { ClusterFacts, ServingFacts } from '../core/model/serving.ts';
import { findReregistered } from '../core/waits/load-balancers.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndingResult } from './ending-steps.ts';
import type { Fence } from './fence.ts';
import type { NodeStepInput } from './node-step.ts';
import { createPodExecutor } from './pod-executor.ts';

/** The round in which something is to be done. */
interface EndpointRemovalMoment {
  readonly fence: Fence;
  /** The observation that it was decided from. */
  readonly facts: ClusterFacts;
  /** Epoch ms at which the round began: load balancer state that was read since then is new enough. */
  readonly began: number;
  readonly rejected: RejectedEvictions;
  /** The node has no other pod left: one that can't be removed from its endpoints is deleted. */
  readonly isLast: boolean;
}

/** What became of a round. */
interface LeftoverRound {
  /** Why the node has to drain connections once more, if it has to. */
  readonly back?: EndingResult;
  /** For the next round. */
  readonly rejected: RejectedEvictions;
  /** What could not be protected, as text. */
  readonly unprotected: readonly string[];
  /** Pods that stay until somebody helps, and why, as text. */
  readonly staying: readonly string[];
}

/** Acts on what eviction leaves on a node, but only while no load balancer has the node registered. */
export function createLeftoverEndpoints(ports: Ports<Actions & Locks>, observer: Observer) {
  const { clock, cluster } = ports;
  const { act } = createPodExecutor(ports, observer);

  /** Asks the load balancers once more. Pods that were removed from endpoints already are added again: the node serves callers. */
  async function findBack(
    { node, policy, run }: NodeStepInput,
    facts: ServingFacts,
  ): Promise<EndingResult | undefined> {
    const reason = findReregistered(node, facts, policy);
    if (reason === undefined) return undefined;
    const pods = indexOf(facts.cluster).podsOn(node.name);
    const relists = decideRestore(node, pods, run).filter(({ kind }) => kind === 'restore-endpoints');
    for (const action of relists) await executePodAction(cluster, action, run);
    return {
      evidence: [],
      reregistered: { step: 'draining-connections', reason },
      externalChanges: [{ at: facts.observedAt, what: reason }],
    };
  }

  /** Executes what was decided, except for removals that admission has denied a moment ago. */
  async function removeLeftover(
    { taint, actions }: Pick<EndpointRemoval, 'taint' | 'actions'>,
    input: NodeStepInput,
    { fence, facts, began, rejected: known, isLast }: EndpointRemovalMoment,
  ): Promise<LeftoverRound> {
    const due = deferRejected(actions, known, facts, clock.now()).actions;
    const nothing = { rejected: known, unprotected: [], staying: [] };
    if (!taint && due.length === 0) return nothing;
    if (taint || mayMeetCallers(input.node, due, facts)) {
      const back = await findBack(input, await observer.serving(input, { since: began }));
      if (back !== undefined) return { back, ...nothing };
    }
    if (taint) await cluster.guarded(fence.check).taintDisrupted(input.node, input.run);
    const unprotected: string[] = [];
    const staying: string[] = [];
    let rejected = known;
    for (const action of due) {
      const { pod } = action;
      const result = await act(action, { run: input.run, fence });
      rejected = noteRejection(rejected, pod, result, clock.now());
      if (result.outcome !== 'denied' || !isLast) continue;
      const stays = explainStaying(pod, result, input, facts);
      if (stays !== undefined) {
        staying.push(stays);
        continue;
      }
      await act({ kind: 'delete', pod }, { run: input.run, fence });
      unprotected.push(`pod ${pod.namespace}/${pod.name} left while it was an endpoint: ${result.reason}`);
    }
    return { rejected, unprotected, staying };
  }

  return { findBack, removeLeftover };
}

/** Why a pod is not deleted although admission denies its removal from endpoints: load balancers would send to it after it has stopped. */
function explainStaying(
  pod: PodRef,
  { reason }: Extract<PodActionResult, { outcome: 'denied' }>,
  { policy }: NodeStepInput,
  facts: ClusterFacts,
): string | undefined {
  const seen = indexOf(facts).podsByUid.get(pod.uid);
  const message = seen && explainStays(seen, { facts, policy }, reason);
  if (message === undefined) return undefined;
  return `${pod.namespace}/${pod.name}: ${blockedByRejection(pod, { message, byAdmission: true }, facts).reason}`;
}
