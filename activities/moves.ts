import type { ServingFacts } from '../core/model/serving.ts';
import {
  decidePlaces,
  type Misplaced,
  type Move,
  type Places,
  type PlacesQuestion,
} from '../core/pod-surge/misplaced.ts';
import type { Heartbeat } from '../core/status/heartbeat.ts';
import type { Ports } from '../ports/ports.ts';
import type { Fence } from './fence.ts';
import type { Observer } from './observer.ts';
import { createPodActs, trackPods } from './pod-acts.ts';
import { throwIfCancelled } from './polling.ts';

/** What is asked in each look, besides what is kept from look to look. */
export interface MovesInput extends Omit<PlacesQuestion, 'moves' | 'removedAt' | 'unreadySince'> {
  readonly facts: ServingFacts;
  /** Asked right before each act. */
  readonly fence: Pick<Fence, 'check'>;
}

/** Who is waited for, and what the next look has to know. */
export interface Moving {
  readonly awaited: readonly Misplaced[];
  readonly kept: NonNullable<Heartbeat['checkpoint']>;
}

/** The acts that have replacements start again where they came to the wrong zone. */
export function createMoves(ports: Ports, observer: Observer) {
  const { clock, cluster } = ports;
  const { carryOut } = createPodActs(ports, observer);

  return {
    /** Does what can be done now. `known` is what the look before has kept. */
    move: async (input: MovesInput, known: NonNullable<Heartbeat['checkpoint']>): Promise<Moving> => {
      const { facts, fence, run } = input;
      const moves = { ...(known['moves'] as PlacesQuestion['moves'] | undefined) };
      const released = facts.cluster.pods.filter((pod) => pod.released?.by === run);
      const times = trackPods(known, released, facts.cluster, input.now);
      const places = decidePlaces({ ...input, ...times, moves });
      for (const move of places.moves) {
        throwIfCancelled();
        await fence.check();
        if (await start(move, run)) moves[move.workload] = (moves[move.workload] ?? 0) + 1;
      }
      await leave(places, { ...input, ...times, moves });
      return { awaited: places.awaited, kept: { ...times, moves } };
    },
  };

  /** Whether its ReplicaSet will start another. */
  async function start(move: Move, run: string): Promise<boolean> {
    if (move.kind === 'release') return (await cluster.release(move.pod, move.from, run)) === 'done';
    return (await cluster.evict(move.pod, { dryRun: false })).outcome === 'evicted';
  }

  async function leave({ actions }: Places, question: PlacesQuestion & MovesInput): Promise<void> {
    const { facts, fence, run } = question;
    const decide = (fresh: ServingFacts['cluster']) =>
      decidePlaces({ ...question, facts: { ...facts, cluster: fresh }, now: clock.now() }).actions;
    for (const action of actions) await carryOut(action, { run, fence, decide, leaving: undefined }, facts.cluster);
  }
}
