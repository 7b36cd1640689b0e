import type { ServiceBaseline } from '../guard/baseline.ts';
import type { NodeRef } from '../model/node.ts';
import type { PoolRef, SuspensionToken } from '../model/pool.ts';
import type { PoolLock } from '../model/pool-lock.ts';
import type { Problem } from '../model/problem.ts';
import type { PoolPlan } from '../plan/pool-plan.ts';
import type { Policy } from '../policy/policy.ts';
import type { Accepted } from '../status/losses.ts';
import type { Outlook } from '../status/outlook.ts';
import type { RunStatus } from '../status/status.ts';
import { acceptedDuring, withAccepted } from './accepted-services.ts';

/** A change of the run that must be rolled back. Recorded before the change, so that a change whose response was lost is rolled back too. */
export type RollbackEntry =
  | { readonly kind: 'lock' }
  | { readonly kind: 'monitor' }
  /** `suspended` is absent until the answer is known. */
  | { readonly kind: 'scaling'; readonly pool: PoolRef; readonly suspended?: SuspensionToken }
  | { readonly kind: 'new-pool' }
  | { readonly kind: 'cordons'; readonly nodes: readonly NodeRef[] }
  | { readonly kind: 'released' };

/** What the monitor of traffic and lock keeps from one watch to the next. */
export interface MonitorState {
  /** Epoch ms at which it began. */
  readonly since: number;
  /** The policy has probes, so a period without a watch is a period without measurements. */
  readonly isMeasuring: boolean;
  /** How often the run had been resumed when it was last known to own the lock. */
  readonly lockOwnedAtResume: number;
  /** How often the run had been resumed when the losses until then were accepted. */
  readonly acceptedAtResume: number;
  /** The counts at that time. */
  readonly accepted: Accepted;
  /** More than the budget was lost since then, and the run can be the cause. */
  readonly isExceeded: boolean;
  /** Epoch ms of the last observation of a watch; undefined before the first. */
  readonly watchedUntil: number | undefined;
  /** What it knew about excluded nodes. */
  readonly outlook: Outlook;
}

/**
 * The whole state of a pool upgrade. Plain data: only `reduce` makes the next state. What can't be plain data (scopes, workflows of
 * nodes, the monitor) is kept in `RunHandles`.
 */
export interface RunState {
  /** What queries and the report show. */
  readonly status: RunStatus;
  readonly plan: PoolPlan | undefined;
  readonly lock: PoolLock | undefined;
  /** Latest time (epoch ms) that a step returned. */
  readonly now: number;
  /** When it was returned, by the workflow's own clock, epoch ms. */
  readonly heardAt: number;
  /** Number of the last step of the pool. It rises with each step, and above the steps that a reset of the workflow has discarded. */
  readonly sequence: number;

  /** Changes that must be rolled back, oldest first. */
  readonly rollback: readonly RollbackEntry[];
  readonly isRollingBack: boolean;
  /** Whether instances of the old pool were requested again for a rollback, and whether all of them serve. */
  readonly oldPool: 'unchanged' | 'requested' | 'restored';
  /** What is left changed at the end, in words, because restoring it would do harm. */
  readonly retained: readonly string[];

  /** Rises with every resume, so that everything stalled notices. */
  readonly resumes: number;
  /** How often an operator had a single node retried, by name. */
  readonly retries: Readonly<Record<string, number>>;
  /** IDs of updates that operators have withdrawn before a worker had them. */
  readonly withdrawn: readonly string[];
  /** Why the run itself is stalled, latest first; `status` shows the most important of these and of `stalledNodes`. */
  readonly problems: readonly Problem[];
  /** Problems of nodes that wait for an operator, by name: their step is stalled, or they wait for another round. */
  readonly stalledNodes: Readonly<Record<string, Problem>>;

  /** Index of a node in `status.nodes`, by UID. Nodes are only added there, never removed. */
  readonly positions: Readonly<Record<string, number>>;
  /** The same by name. Of several that had the name one after another, the latest. */
  readonly latest: Readonly<Record<string, number>>;
  /** Nodes whose workflow has not ended yet, by name. */
  readonly inProgress: Readonly<Record<string, NodeRef>>;
  /** UIDs of skipped nodes whose cordon was removed. */
  readonly uncordoned: readonly string[];
  /** How often each node was excluded, by name. */
  readonly rounds: Readonly<Record<string, number>>;

  /** Baseline of each Service. */
  readonly baselines: readonly ServiceBaseline[];
  readonly newNodes: readonly NodeRef[];
  /** The new nodes are registered with their load balancers. */
  readonly areNewNodesRegistered: boolean;
  /** How many additional instances were requested for the new pool, and when (epoch ms). */
  readonly requested: readonly { readonly at: number; readonly instances: number }[];
  /** The same for the old pool, in a rollback. */
  readonly requestedOld: readonly { readonly at: number; readonly instances: number }[];
  readonly unprotected: readonly string[];
  /** Workloads, by key, whose pods could not be surged: their pods on the remaining nodes are evicted. */
  readonly evictedInstead: readonly string[];

  readonly monitor: MonitorState | undefined;
  /** Epoch ms at which nothing was left to do except to measure traffic for a while; undefined before. */
  readonly idleAt: number | undefined;
}

/** The state of a run before its first step; `status` has the time of its start. */
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
    oldPool: 'unchanged',
    retained: [],
    resumes: 0,
    retries: {},
    withdrawn: [],
    problems: [],
    stalledNodes: {},
    positions: {},
    latest: {},
    inProgress: {},
    uncordoned: [],
    rounds: {},
    baselines: [],
    newNodes: [],
    areNewNodesRegistered: false,
    requested: [],
    requestedOld: [],
    unprotected: [],
    evictedInstead: [],
    monitor: undefined,
    idleAt: undefined,
  };
}

/** Whether upgrade windows decide when nodes are excluded. An abort does not wait for a window: it restores what was there. */
export function isBoundToWindows({ status, isRollingBack }: RunState, { schedule }: Pick<Policy, 'schedule'>): boolean {
  return schedule !== undefined && status.windowOverride === undefined && !isRollingBack;
}

/** The policy with the cluster in which preflight has planned. */
export function policyInCluster<P extends object>({ plan }: Pick<RunState, 'plan'>, policy: P): P {
  const clusterUid = plan?.policy.clusterUid;
  return clusterUid === undefined ? policy : { ...policy, clusterUid };
}

/** The policy as operators have changed it for this run, with the cluster of preflight and the nodes that it has found in the target pool. */
export function policyOf<P extends Pick<Policy, 'guard' | 'found'>>(state: RunState, policy: P): P {
  const {
    plan,
    status: { maxInFlight },
  } = state;
  const found = plan?.policy.found;
  // With the Services of blockers that were accepted when the plan was made.
  const acceptUnprotected = plan?.policy.guard.acceptUnprotected ?? policy.guard.acceptUnprotected;
  const guard = { ...policy.guard, acceptUnprotected, ...(maxInFlight === undefined ? {} : { maxInFlight }) };
  const changed = { ...policyInCluster(state, policy), guard, ...(found === undefined ? {} : { found }) };
  return withAccepted(changed, acceptedDuring(state.status));
}

/** How often a node, by name, was to be retried: with every resume of the run, and each time that an operator asked for it alone. */
export function resumesOf({ resumes, retries }: RunState, name: string): number {
  return resumes + (retries[name] ?? 0);
}

/** The time (epoch ms) that a step would return now, estimated with the workflow's own clock: a run may end while it waits for a step. */
export function timeAt({ now, heardAt }: RunState, clock: number): number {
  return now + clock - heardAt;
}
