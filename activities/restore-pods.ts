import type { BlockedPod } from '../core/eviction/actions.ts';
import { selfResolving } from '../core/eviction/leaving.ts';
import { trackPods } from '../core/eviction/pod-times.ts';
import { blockedByRejection, noteRejection } from '../core/eviction/rejections.ts';
import { decideRestoreRound } from '../core/eviction/restore-pods.ts';
import { isStuckTerminating } from '../core/eviction/stuck-terminating.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PodFacts } from '../core/model/pod.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { WaitPolicy } from '../core/policy/policy.ts';
import { type BlockedSince, recordBlocked } from '../core/status/blocked.ts';
import { type PutBackCheckpoint, readPutBack } from '../core/status/checkpoint.ts';
import { count, listNames } from '../core/text/format.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import type { Ports } from '../ports/ports.ts';
import { countEvictionRefusal } from './metrics.ts';

/** Whose unlisted pods are put back, and where. */
export interface RestorePodsInput {
  readonly run: string;
  readonly nodes: readonly NodeRef[];
  readonly waits: WaitPolicy;
}

/** What one look at the unlisted pods of some nodes came to. */
export interface RestorePodsPoll {
  /** Those that were there in this look, terminating ones included. */
  readonly endpointsRemoved: readonly PodFacts[];
  readonly blocked: readonly BlockedSince[];
  readonly reason: string;
  /** Something of it comes by itself: pods that are going, or whose leaving their endpoints has to spread. */
  readonly isSelfResolving: boolean;
  readonly checkpoint: PutBackCheckpoint;
}

/** The acts that put pods back, and see those out that have been replaced. */
export function createPutPodsBack({ clock, cluster }: Pick<Ports, 'clock' | 'cluster'>) {
  return async (
    { run, nodes, waits }: RestorePodsInput,
    facts: ClusterFacts,
    now: number,
    checkpoint: object,
  ): Promise<RestorePodsPoll> => {
    const endpointsRemoved = nodes.flatMap((node) =>
      indexOf(facts)
        .podsOn(node.name)
        // One that hangs in termination never comes back, and the node need not wait for it.
        .filter((pod) => pod.endpointsRemoved?.by === run && !isStuckTerminating(pod, now)),
    );
    const known = readPutBack(checkpoint);
    const times = trackPods(known, endpointsRemoved, facts, now);
    const round = decideRestoreRound({
      nodes,
      facts,
      run,
      waits,
      now,
      removedAt: times.removedAt,
      refused: known.refused,
    });
    const held: BlockedPod[] = [...round.blocked];
    let { refused } = known;
    for (const action of round.actions) {
      const result = await executePodAction(cluster, action, run);
      refused = noteRejection(refused, action.pod, result, clock.now());
      countEvictionRefusal(result);
      const refusal = refused[action.pod.uid];
      if (refusal !== undefined) held.push(blockedByRejection(action.pod, refusal, facts));
    }
    const blocked = recordBlocked(held, known.blocked, now);
    const [first] = blocked;
    const names = listNames([...new Set(endpointsRemoved.map(({ node }) => node ?? 'no node'))]);
    const reason = `${count(endpointsRemoved.length, 'pod removed from endpoints')} on ${names}${first === undefined ? '' : `; ${first.pod}: ${first.reason}`}`;
    const isSelfResolving = selfResolving({ pods: endpointsRemoved, ...times }, waits, now);
    return { endpointsRemoved, blocked, reason, isSelfResolving, checkpoint: { ...times, refused, blocked } };
  };
}
