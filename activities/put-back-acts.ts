import type { BlockedPod, PodAction } from '../core/drain/actions.ts';
import { hangs } from '../core/drain/hanging.ts';
import { leaveByThemselves } from '../core/drain/leaving.ts';
import { decidePutBackRound, type RefusedEvictions, tellRefused } from '../core/drain/put-back.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PodFacts } from '../core/model/pod.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { WaitPolicy } from '../core/policy/policy.ts';
import type { BlockedProgress } from '../core/status/blocked.ts';
import type { StepProgress } from '../core/status/progress.ts';
import { count, listNames } from '../core/text/format.ts';
import type { Ports } from '../ports/ports.ts';
import { tellBlocked, trackPods } from './pod-acts.ts';

/** Whose unlisted pods are put back, and where. */
export interface PutPodsBackInput {
  readonly run: string;
  readonly nodes: readonly NodeRef[];
  readonly waits: WaitPolicy;
}

/** What one look at the unlisted pods of some nodes came to. */
export interface PutPodsBackLook {
  /** Those that were there in this look, terminating ones included. */
  readonly unlisted: readonly PodFacts[];
  readonly blocked: readonly BlockedProgress[];
  readonly reason: string;
  /** Something of it comes by itself: pods that are going, or whose leaving their endpoints has to spread. */
  readonly comes: boolean;
  readonly memo: NonNullable<StepProgress['memo']>;
}

/** The acts that put pods back, and see those out that have been replaced. */
export function createPutPodsBack({ clock, cluster }: Pick<Ports, 'clock' | 'cluster'>) {
  return async (
    { run, nodes, waits }: PutPodsBackInput,
    facts: ClusterFacts,
    now: number,
    memo: NonNullable<StepProgress['memo']>,
  ): Promise<PutPodsBackLook> => {
    const unlisted = nodes.flatMap((node) =>
      indexOf(facts)
        .podsOn(node.name)
        // One that hangs in termination never comes back, and the node need not wait for it.
        .filter((pod) => pod.unlisted?.by === run && !hangs(pod, now)),
    );
    const times = trackPods(memo, unlisted, facts, now);
    const known = (memo['refused'] as RefusedEvictions | undefined) ?? {};
    const round = decidePutBackRound({ nodes, facts, run, waits, now, unlistedAt: times.unlistedAt, refused: known });
    const held: BlockedPod[] = [...round.blocked];
    let refused = known;
    for (const action of round.actions) {
      const refusal = await act(action, run);
      if (refusal === undefined) continue;
      refused = { ...refused, [action.pod.uid]: refusal };
      held.push(tellRefused(action.pod, refusal));
    }
    const blocked = tellBlocked(held, memo['blocked'], now);
    const [first] = blocked;
    const names = listNames([...new Set(unlisted.map(({ node }) => node ?? 'no node'))]);
    const reason = `${count(unlisted.length, 'unlisted pod')} on ${names}${first === undefined ? '' : `; ${first.pod}: ${first.reason}`}`;
    const comes = leaveByThemselves({ pods: unlisted, ...times }, waits, now);
    return { unlisted, blocked, reason, comes, memo: { ...times, refused, blocked } };
  };

  /** Answers why the act did not take effect, and when it may be tried again. */
  async function act(action: PodAction, run: string): Promise<RefusedEvictions[string] | undefined> {
    const { kind, pod } = action;
    if (kind === 'relist') await cluster.relist(pod, run);
    if (kind === 'unlist') await cluster.unlist(pod, action.removeLabels, run);
    if (kind === 'relist' || kind === 'unlist') return undefined;
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
