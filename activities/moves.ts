import { trackPods } from '../core/eviction/pod-times.ts';
import type { RejectedEvictions } from '../core/eviction/rejections.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import {
  decidePlaces,
  type Misplaced,
  type Move,
  type Places,
  type PlacesQuestion,
} from '../core/pod-surge/misplaced.ts';
import type { MovesCheckpoint } from '../core/status/checkpoint.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';
import type { Ports } from '../ports/ports.ts';
import type { Fence } from './fence.ts';
import { countEvictionRefusal } from './metrics.ts';
import { createPodExecutor } from './pod-executor.ts';
import { throwIfCancelled } from './polling.ts';

/** The input of each poll, besides what is kept between polls. */
interface MovesInput extends Omit<PlacesQuestion, 'moves' | 'removedAt' | 'unreadySince' | 'drainedAt'> {
  readonly facts: ServingFacts;
  /** Checked right before each action. */
  readonly fence: Pick<Fence, 'check'>;
}

/** What is awaited, and what the next poll has to know. */
interface Moving {
  readonly awaited: readonly Misplaced[];
  readonly kept: MovesCheckpoint;
}

/** The actions that make replacements start again when they came up in the wrong zone. */
export function createMoves(ports: Ports<Actions & Locks>, observer: Observer) {
  const { clock, cluster } = ports;
  const { executeAll } = createPodExecutor(ports, observer);

  return {
    /** Does what can be done now. `known` is what the previous poll has kept. */
    move: async (input: MovesInput, known: MovesCheckpoint): Promise<Moving> => {
      const { facts, fence, run } = input;
      const moves = { ...known.moves };
      const released = facts.cluster.pods.filter((pod) => pod.released?.by === run);
      const times = trackPods(known, released, { ...input, facts: facts.cluster });
      const places = decidePlaces({ ...input, ...times, moves });
      const acting = cluster.guarded(fence.check);
      for (const move of places.moves) {
        throwIfCancelled();
        if (await start(acting, move, run)) moves[move.workload] = (moves[move.workload] ?? 0) + 1;
      }
      const rejected = await leave(places, { ...input, ...times, moves }, known.rejected);
      return { awaited: places.awaited, kept: { ...times, moves, rejected } };
    },
  };

  /** Whether its ReplicaSet will start another pod. */
  async function start(acting: PodActions, move: Move, run: string): Promise<boolean> {
    if (move.kind === 'release') return (await acting.release(move.pod, move.from, run)) === 'done';
    const result = await executePodAction(acting, { kind: 'evict', pod: move.pod }, run);
    countEvictionRefusal(result);
    return result.outcome === 'done';
  }

  async function leave(
    { actions }: Places,
    question: PlacesQuestion & MovesInput,
    rejected: RejectedEvictions,
  ): Promise<RejectedEvictions> {
    const { facts, fence, run, policy } = question;
    const decide = (fresh: ServingFacts['cluster']) =>
      decidePlaces({ ...question, facts: { ...facts, cluster: fresh }, now: clock.now() }).actions;
    const acting = { run, fence, decide, policy, leaving: undefined };
    return (await executeAll(actions, acting, { facts: facts.cluster, rejected })).rejected;
  }
}
