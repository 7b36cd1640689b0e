import type { ServiceBaseline } from '../guard/baseline.ts';
import type { NodeRef } from '../model/node.ts';
import type { PoolRef } from '../model/pool.ts';
import type { PoolLock } from '../model/pool-lock.ts';
import type { Problem } from '../model/problem.ts';
import type { PoolPlan } from '../plan/pool-plan.ts';
import type { Accepted } from '../status/losses.ts';
import type { Outlook } from '../status/outlook.ts';
import type { RunStatus } from '../status/status.ts';

/** Something of ours that must be rolled back. Recorded before the act, so that an act whose answer got lost is rolled back too. */
export type RollbackEntry =
  | { readonly kind: 'lock' }
  | { readonly kind: 'watch' }
  | { readonly kind: 'rebalancing'; readonly pool: PoolRef; readonly suspended: readonly string[] }
  | { readonly kind: 'new-pool' }
  | { readonly kind: 'cordons'; readonly nodes: readonly NodeRef[] }
  | { readonly kind: 'released' };

/** What the monitor of traffic and lock remembers from one watch to the next. */
export interface MonitorState {
  /** Epoch ms at which it began. */
  readonly since: number;
  /** The policy has probes, so a time without a watch is a time in which nobody measured. */
  readonly isMeasuring: boolean;
  /** How often the run had been resumed when the lock was last known to be ours. */
  readonly lockHeldAtResume: number;
  /** How often it had been resumed when what was lost until then was accepted. */
  readonly acceptedAtResume: number;
  /** What was counted by then. */
  readonly accepted: Accepted;
  /** More than the budget was lost since by what can be the run's doing. */
  readonly isExceeded: boolean;
  /** Epoch ms at which a watch saw anything last; undefined before. */
  readonly watchedUntil: number | undefined;
  /** What it knew of nodes that were out. */
  readonly outlook: Outlook;
}

/**
 * All that a pool upgrade knows of itself. Plain data: `reduce` alone makes the next one of it. What can't be written down (scopes,
 * workflows of nodes, the monitor) is kept in handles beside it.
 */
export interface RunState {
  /** What others see of the run. */
  readonly status: RunStatus;
  readonly plan: PoolPlan | undefined;
  readonly lock: PoolLock | undefined;
  /** Latest time (epoch ms) that a step answered with. */
  readonly now: number;
  /** When it did so, by the workflow's own clock, epoch ms. */
  readonly heardAt: number;
  /** Of the last step of the pool: rises from step to step, and also above those that a reset has made undone. */
  readonly sequence: number;

  /** What was changed and must be rolled back, oldest first. */
  readonly rollback: readonly RollbackEntry[];
  readonly isRollingBack: boolean;
  /** What stays as it is at the end although we changed it, in words, because changing it back would do harm. */
  readonly retained: readonly string[];

  /** Rises with every resume, so that whoever is stalled notices. */
  readonly resumes: number;
  /** IDs of updates that operators have taken back before anybody had them. */
  readonly withdrawn: readonly string[];
  /** What the run itself is stalled by; `status` tells the most important of this and of `stalledNodes`. */
  readonly problem: Problem | undefined;
  /** Problems of nodes that wait for an operator, by name. */
  readonly stalledNodes: Readonly<Record<string, Problem>>;

  /** Where a node stands in `status.nodes`, by UID. Nodes are only ever added there. */
  readonly positions: Readonly<Record<string, number>>;
  /** The same by name. Of several that had the name one after another, the latest. */
  readonly latest: Readonly<Record<string, number>>;
  /** Nodes whose workflow has not ended yet, by name. */
  readonly inProgress: Readonly<Record<string, NodeRef>>;
  /** How often each node was excluded, by name. */
  readonly rounds: Readonly<Record<string, number>>;

  /** What each Service was seen to serve at its best. */
  readonly baselines: readonly ServiceBaseline[];
  readonly newNodes: readonly NodeRef[];
  /** Load balancers have taken the new nodes. */
  readonly areNewNodesRegistered: boolean;
  /** When (epoch ms) how many machines, or how many more, the new pool was asked for. */
  readonly requested: readonly { readonly at: number; readonly instances: number }[];
  readonly unprotected: readonly string[];
  /** Workloads, by key, whose pods could not be surged: those of the nodes that are left are evicted. */
  readonly evictedInstead: readonly string[];

  readonly monitor: MonitorState | undefined;
  /** Epoch ms at which nothing was left to do but to watch for a while; undefined before. */
  readonly idleAt: number | undefined;
}

/** The state of a run before its first step; `status` says when it began. */
export function openState(status: RunStatus): RunState {
  return {
    status,
    plan: undefined,
    lock: undefined,
    now: status.startedAt,
    heardAt: status.startedAt,
    sequence: 0,
    rollback: [],
    isRollingBack: false,
    retained: [],
    resumes: 0,
    withdrawn: [],
    problem: undefined,
    stalledNodes: {},
    positions: {},
    latest: {},
    inProgress: {},
    rounds: {},
    baselines: [],
    newNodes: [],
    areNewNodesRegistered: false,
    requested: [],
    unprotected: [],
    evictedInstead: [],
    monitor: undefined,
    idleAt: undefined,
  };
}

/** The time (epoch ms) that a step would answer with now, by the workflow's own clock: a run may end while it waits for one. */
export function timeAt({ now, heardAt }: RunState, clock: number): number {
  return now + clock - heardAt;
}
