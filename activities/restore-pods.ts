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
import type { Policy } from '../core/policy/policy.ts';
import { type BlockedSince, recordBlocked } from '../core/status/blocked.ts';
import { type RestoreCheckpoint, readRestore } from '../core/status/checkpoint.ts';
import { count, listNames } from '../core/text/format.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';
import type { Ports } from '../ports/ports.ts';
import { countEvictionRefusal } from './metrics.ts';

/** The run and the nodes whose pods are restored to their endpoints. */
interface RestorePodsInput {
  readonly run: string;
  readonly nodes: readonly NodeRef[];
  readonly policy: Policy;
}

/** The result of one poll of pods that were removed from endpoints. */
interface RestorePodsPoll {
  /** Those that existed in this poll, terminating ones included. */
  readonly endpointsRemoved: readonly PodFacts[];
  readonly blocked: readonly BlockedSince[];
  readonly reason: string;
  /** Part of it resolves by itself: pods that are terminating, or whose removal from endpoints has to propagate. */
  readonly isSelfResolving: boolean;
  readonly checkpoint: RestoreCheckpoint;
}

/** The actions that restore pods, and evict those that have been replaced. */
export function createRestorePods({ clock, cluster }: Pick<Ports<PodActions>, 'clock' | 'cluster'>) {
  return async (
    { run, nodes, policy }: RestorePodsInput,
    facts: ClusterFacts,
    now: number,
    checkpoint: object,
  ): Promise<RestorePodsPoll> => {
    const endpointsRemoved = nodes.flatMap((node) =>
      indexOf(facts)
        .podsOn(node.name)
        // One that is stuck terminating can't be restored, and the node need not wait for it.
        .filter((pod) => pod.endpointsRemoved?.by === run && !isStuckTerminating(pod, now)),
    );
    const known = readRestore(checkpoint);
    const times = trackPods(known, endpointsRemoved, { facts, policy, now });
    const round = decideRestoreRound({
      nodes,
      facts,
      run,
      policy,
      now,
      ...times,
      rejected: known.rejected,
    });
    const observed: BlockedPod[] = [...round.blocked];
    let { rejected } = known;
    for (const action of round.actions) {
      const result = await executePodAction(cluster, action, run);
      rejected = noteRejection(rejected, action.pod, result, clock.now());
      countEvictionRefusal(result);
      const refusal = rejected[action.pod.uid];
      if (refusal !== undefined) observed.push(blockedByRejection(action.pod, refusal, facts));
    }
    const blocked = recordBlocked(observed, known.blocked, now);
    const [first] = blocked;
    const names = listNames([...new Set(endpointsRemoved.map(({ node }) => node ?? 'no node'))]);
    const reason = `${count(endpointsRemoved.length, 'pod removed from endpoints')} on ${names}${first === undefined ? '' : `; ${first.pod}: ${first.reason}`}`;
    const isSelfResolving = selfResolving({ pods: endpointsRemoved, ...times }, policy.waits, now);
    return { endpointsRemoved, blocked, reason, isSelfResolving, checkpoint: { ...times, rejected, blocked } };
  };
}
