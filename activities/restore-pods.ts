import type { BlockedPod, PodAction } from '../core/eviction/actions.ts';
import { selfResolving } from '../core/eviction/leaving.ts';
import { blockedByRefusal, decideRestoreRound, type RejectedEvictions } from '../core/eviction/restore-pods.ts';
import { isStuckTerminating } from '../core/eviction/stuck-terminating.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PodFacts } from '../core/model/pod.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { WaitPolicy } from '../core/policy/policy.ts';
import type { BlockedSince } from '../core/status/blocked.ts';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import { count, listNames } from '../core/text/format.ts';
import type { Ports } from '../ports/ports.ts';
import { recordBlocked, trackPods } from './pod-acts.ts';

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
  readonly checkpoint: NonNullable<Heartbeat['checkpoint']>;
}

/** The acts that put pods back, and see those out that have been replaced. */
export function createPutPodsBack({ clock, cluster }: Pick<Ports, 'clock' | 'cluster'>) {
  return async (
    { run, nodes, waits }: RestorePodsInput,
    facts: ClusterFacts,
    now: number,
    checkpoint: NonNullable<Heartbeat['checkpoint']>,
  ): Promise<RestorePodsPoll> => {
    const endpointsRemoved = nodes.flatMap((node) =>
      indexOf(facts)
        .podsOn(node.name)
        // One that hangs in termination never comes back, and the node need not wait for it.
        .filter((pod) => pod.endpointsRemoved?.by === run && !isStuckTerminating(pod, now)),
    );
    const times = trackPods(checkpoint, endpointsRemoved, facts, now);
    const known = (checkpoint['refused'] as RejectedEvictions | undefined) ?? {};
    const round = decideRestoreRound({ nodes, facts, run, waits, now, removedAt: times.removedAt, refused: known });
    const held: BlockedPod[] = [...round.blocked];
    let refused = known;
    for (const action of round.actions) {
      const refusal = await act(action, run);
      if (refusal === undefined) continue;
      refused = { ...refused, [action.pod.uid]: refusal };
      held.push(blockedByRefusal(action.pod, refusal));
    }
    const blocked = recordBlocked(held, checkpoint['blocked'], now);
    const [first] = blocked;
    const names = listNames([...new Set(endpointsRemoved.map(({ node }) => node ?? 'no node'))]);
    const reason = `${count(endpointsRemoved.length, 'pod removed from endpoints')} on ${names}${first === undefined ? '' : `; ${first.pod}: ${first.reason}`}`;
    const isSelfResolving = selfResolving({ pods: endpointsRemoved, ...times }, waits, now);
    return { endpointsRemoved, blocked, reason, isSelfResolving, checkpoint: { ...times, refused, blocked } };
  };

  /** Answers why the act did not take effect, and when it may be tried again. */
  async function act(action: PodAction, run: string): Promise<RejectedEvictions[string] | undefined> {
    const { kind, pod } = action;
    if (kind === 'restore-endpoints') await cluster.restoreEndpoints(pod, run);
    if (kind === 'remove-endpoints') await cluster.removeEndpoints(pod, action.removeLabels, run);
    if (kind === 'restore-endpoints' || kind === 'remove-endpoints') return undefined;
    const answer = await cluster.evict(pod, { dryRun: false });
    switch (answer.outcome) {
      case 'evicted':
      case 'gone':
        return undefined;
      case 'impossible':
        return { message: answer.message, againAt: clock.now() + impossibleAgainMs };
      case 'blocked-by-budget':
      case 'retry':
        return { message: answer.message, againAt: clock.now() + answer.retryAfterMs };
    }
  }
}

/** An eviction that the API refuses for good is asked for again all the same: somebody may change the budgets, ms. */
const impossibleAgainMs = 60_000;
