import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CandidateQuestion } from '../core/guard/select-candidate.ts';
import { extend, followsOn, reset, type StableSince } from '../core/guard/stable-since.ts';
import { chooseTogether } from '../core/guard/together.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import type { NodeRef } from '../core/model/node.ts';

/** Maximum number of nodes in a batch: keeps the result far below the payload size limit. */
export const maxBatch = 20;

/** Maximum number of nodes that observations agree on at a time: enough for the next batch to be stable already. */
const maxAgreed = 2 * maxBatch;

/**
 * Which nodes this worker's observations have agreed on excluding together, by run. A batch is what every observation of the stabilization time
 * allowed, not the last alone. A worker that is new to a run begins without any.
 */
export interface Agreements {
  of(run: string): StableSince;
  /** One more observation, begun at `now` (epoch ms). Where the last one was too long before, nobody knows what was in between: it is the first one. */
  observe(run: string, now: number, question: Omit<CandidateQuestion, 'stableSince'>): Promise<void>;
  /** Something was observed in which no node may be excluded. */
  clear(run: string): void;
  /** What was agreed on the node does not count any more: it may not be excluded after all, or has been excluded and may come back. */
  refuse(run: string, node: NodeRef): void;
}

/** Opens the agreements of a worker. */
export function createAgreements(): Agreements {
  const agreed = new Map<string, { readonly stableSince: StableSince; readonly observedAt: number }>();
  const of = (run: string) => agreed.get(run)?.stableSince ?? {};
  return {
    of,
    observe: async (run, now, question) => {
      const { facts, waiting, policy } = question;
      const last = agreed.get(run);
      if (last !== undefined && !followsOn(last.observedAt, now, policy.waits)) agreed.delete(run);
      const names: string[] = [];
      if (findLostProtection({ ...question, nodes: waiting }) === undefined) {
        for (const { name } of chooseTogether({ ...question, stableSince: of(run) }, maxAgreed)) {
          names.push(name);
          // Deciding on hundreds of nodes takes a while, and heartbeats of other steps must not wait for it.
          await nextTurn();
        }
      }
      const { observedAt } = facts;
      agreed.set(run, { stableSince: extend(of(run), names, observedAt), observedAt });
    },
    clear: (run) => {
      agreed.delete(run);
    },
    refuse: (run, { name }) => {
      const last = agreed.get(run);
      if (last !== undefined) agreed.set(run, { ...last, stableSince: reset(last.stableSince, name) });
    },
  };
}
