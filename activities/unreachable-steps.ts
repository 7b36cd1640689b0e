import { isStuckTerminating } from '../core/eviction/stuck-terminating.ts';
import { askAboutUnreachable } from '../core/eviction/unreachable.ts';
import { silentSince, unreachableSince } from '../core/guard/unreachable.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { Problem } from '../core/model/problem.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Observer } from '../operations/observer.ts';
import type { Ports } from '../ports/ports.ts';
import type { NodeStepInput } from './node-step.ts';
import { type Outcome, pollUntil } from './polling.ts';

/** Time between two polls of an unreachable node, ms: an operator decides. */
const pollIntervalMs = 10_000;

/** Checks a node whose kubelet is silent and whose only remaining pods should have terminated. */
export function createUnreachable({ clock, pools }: Pick<Ports, 'clock' | 'pools'>, observer: Observer) {
  /** What an operator has to decide; undefined while waiting may help. `began`: load balancer state read since then is new enough. */
  return async (input: NodeStepInput, seen: ClusterFacts, began: number): Promise<Problem | undefined> => {
    const { node, pool } = input;
    if (silentSince(indexOf(seen).nodes.get(node.name), clock.now()) === undefined) return undefined;
    const facts = await observer.serving(input, { since: began });
    const now = clock.now();
    const since = unreachableSince(node, facts, now);
    if (since === undefined) return undefined;
    const state = await pools.observeInstance(pool, node.instanceId);
    if (state !== 'running' && state !== 'stopped') return undefined;
    const pods = indexOf(facts.cluster)
      .podsOn(node.name)
      .filter((pod) => isStuckTerminating(pod, now));
    return askAboutUnreachable({ node, since, state, pods }, (one) => pools.traitsOf(pool).terminateByHand(pool, one));
  };
}

/** The steps while an operator is asked. */
export function createUnreachableSteps({ clock, pools }: Pick<Ports, 'clock' | 'pools'>, observer: Observer) {
  return {
    /** Waits until an unreachable node is heard from again, or its instance ends, or its Node object is gone. Changes nothing. */
    awaitReachable: async ({ node, pool }: { readonly node: NodeRef; readonly pool: PoolRef }): Promise<Outcome> =>
      await pollUntil<object>({
        clock,
        what: `${node.name} to be heard from again, or to end`,
        deadlineMs: undefined,
        pollIntervalMs: pollIntervalMs,
        hint: 'Resume.',
        poll: async () => {
          const seen = indexOf(await observer.cluster()).nodes.get(node.name);
          if (seen?.uid !== node.uid || seen.unknownSince === undefined) return { done: true, value: {} };
          const state = await pools.observeInstance(pool, node.instanceId);
          if (state !== 'running' && state !== 'stopped') return { done: true, value: {} };
          return { done: false, reason: `${node.name} is silent, and ${node.instanceId} is ${state}` };
        },
      }),
  };
}
