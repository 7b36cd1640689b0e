/**
 * The messages between clients and workflows: names, IDs, payload types. Plain data without SDK code at run time, so that
 * a CLI, a worker and the workflow sandbox can all load it.
 */

import { typedAttribute } from '../core/connection/register-attributes.ts';
import type { UnreadyBefore } from '../core/eviction/unready-before.ts';
import type { ServiceBaseline } from '../core/guard/baseline.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { ApprovedPlan } from '../core/plan/approved-plan.ts';
import type { Direction } from '../core/policy/members.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { OperatorNeeds } from '../core/status/operator-needs.ts';
import { upgradeDetails, upgradeSummary } from '../core/status/run-summary.ts';
import type { NodeStatus, RunStatus } from '../core/status/status.ts';
import type { PoolPhase } from '../core/steps/pool-phases.ts';
import type { NodesAside } from '../core/waits/hosts.ts';
import type { EndpointSnapshot } from '../core/waits/replacements.ts';
import { query, signal, update } from './define.ts';

/** Task queue of workflows and activities, unless the configuration sets another. */
export const defaultTaskQueue = 'nodeferry';

/** Activities that may last as long as the run: they watch, sleep, or wait for capacity. They have their own slots on a worker. */
export const longWaits = ['monitorRun', 'excludeNext', 'sleepFor', 'awaitReachable', 'awaitWindow'] as const;

/** Task queue of the long activities of runs on this queue. */
export function longQueue(taskQueue: string): string {
  return `${taskQueue}-long`;
}

/** Workflow types, as a client starts them by name. */
export const workflowTypes = {
  poolUpgrade: 'poolUpgrade',
  nodeDrain: 'nodeDrain',
  nodeReplacement: 'nodeReplacement',
  windowLauncher: 'windowLauncher',
} as const;

/**
 * ID of the workflow that upgrades a pool. There is one ID per pool: start the workflow with the conflict policy FAIL, so
 * that the server refuses a second upgrade of the same pool.
 */
export function poolUpgradeId(cluster: string, pool: string): string {
  return `pool-upgrade/${cluster}/${pool}`;
}

/** ID of the workflow that replaces one node; `pool` is the pool that the node belongs to. */
export function nodeReplacementId(cluster: string, pool: string, run: string, node: string): string {
  return `node-replacement/${cluster}/${pool}/${run}/${node}`;
}

/** ID of the Temporal Schedule of a pool. */
export function scheduleId(cluster: string, pool: string): string {
  return `upgrade-windows/${cluster}/${pool}`;
}

/** What a pool upgrade is started with. */
export interface PoolUpgradeInput {
  /** Name of the run, in every label and annotation that it sets: 1-40 characters of `a-z`, `0-9` and `-`, as in a label value. */
  readonly run: string;
  readonly policy: Policy;
  /** Who starts the run, and why: the first entry of the audit trail. */
  readonly by: string;
  readonly reason: string;
  /** What was approved in the plan that it was started from; absent when it was started from a policy. */
  readonly approved?: ApprovedPlan;
}

/** What a node replacement is started with; the pool upgrade starts it once the node is excluded. */
export interface NodeReplacementInput {
  readonly run: string;
  /** Workflow ID of the pool upgrade, which is signalled when the node is stalled. */
  readonly parent: string;
  readonly node: NodeRef;
  /** Pool that the node belongs to and is terminated from. */
  readonly pool: PoolRef;
  /** Whether it is an old node, or a new one of a run that goes back. */
  readonly direction: Direction;
  readonly policy: Policy;
  /** Baselines of the Services that the node affects. */
  readonly baselines: readonly ServiceBaseline[];
  /** Pods that were not ready when the run was planned; absent where all were. */
  readonly unreadyBefore?: UnreadyBefore;
  /** How often the run has excluded the node by now. */
  readonly round: number;
  /** How often the node was to be retried by now: with every resume of the run, and each time that an operator asked for it alone. */
  readonly resumes: number;
  /** Epoch ms at which the node was excluded. */
  readonly excludedAt: number;
  /** Ready endpoints of its Services before it was excluded. */
  readonly before: EndpointSnapshot;
  /** Other nodes that load balancers sent nothing to at that time; absent when there were none. */
  readonly aside?: NodesAside;
  /** What was observed of the node so far: registered, healthy, excluded. */
  readonly evidence: NodeStatus['evidence'];
  /** Why the node is to be restored at once, as text: it was skipped while it was being excluded. Absent otherwise. */
  readonly restoreBecause?: string;
}

/** Who requests something, and why; kept in the audit trail. */
export interface OperatorRequest {
  readonly by: string;
  readonly reason: string;
  /** For `approve` and `reject`: what is meant, so that an answer to an earlier request does not count for a later one. */
  readonly of?: string;
  /** For `setConcurrency`: how many nodes may be in progress at the same time. */
  readonly maxInFlight?: number;
  /** For `retry` and `skip`: name of the node. */
  readonly node?: string;
  /** For `acceptUnprotected`: `namespace/name` of the Service. */
  readonly service?: string;
}

/**
 * The response to an operator: the request was accepted, and the run is in this phase. The `status` query has the rest: a history keeps
 * every response of an update, and the status of hundreds of nodes is large.
 */
export interface Acknowledgement {
  readonly run: string;
  readonly phase: PoolPhase;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * Withdraws an update that no worker has answered, by its ID: from then on it is refused. The server keeps an update that no worker has
 * received and delivers it to the next worker, however late. Without this signal, a command that was reported as failed would take effect then.
 */
export const withdrawSignal = signal<[string]>('withdraw');

/** Excludes no further node; nodes in progress finish. Rejected when the run is paused, aborting or over. */
export const pauseUpdate = update<Acknowledgement, [OperatorRequest]>('pause');

/** Ends a pause and retries every stalled step. Rejected when the run is neither paused nor stalled. */
export const resumeUpdate = update<Acknowledgement, [OperatorRequest]>('resume');

/** Retries the stalled step of one node; others stay stalled. Rejected unless this node is stalled. */
export const retryUpdate = update<Acknowledgement, [OperatorRequest]>('retry');

/**
 * Has the run not replace one node: whatever was done to it is restored, and it stays in the old pool. Rejected without a reason, when it was
 * replaced or skipped already, and when the run is in preflight, aborting or over. Fails when its instance is being terminated.
 */
export const skipUpdate = update<Acknowledgement, [OperatorRequest]>('skip');

/**
 * Rolls the run back; as many new nodes stay as old ones were replaced. Rejected when the run is aborting already, when every node has been
 * replaced, and in a rollback whose old pool has its size again.
 */
export const abortUpdate = update<Acknowledgement, [OperatorRequest]>('abort');

/**
 * Goes back to the old pool: it gets its size again, then all new nodes leave. Rejected without a reason, when that is under way already, when
 * every node has been replaced, and in an abort that has finished with the new nodes.
 */
export const rollbackUpdate = update<Acknowledgement, [OperatorRequest]>('rollback');

/** Approves what the run waits to be approved. Rejected when it waits for no approval. */
export const approveUpdate = update<Acknowledgement, [OperatorRequest]>('approve');

/** Rejects what the run waits to be approved: the run rolls back. Rejected when it waits for no approval, or without a reason. */
export const rejectUpdate = update<Acknowledgement, [OperatorRequest]>('reject');

/** Sets how many nodes may be in progress at the same time. Rejected unless it is a whole number from 1 to 1,000. */
export const setConcurrencyUpdate = update<Acknowledgement, [OperatorRequest]>('setConcurrency');

/**
 * Lets the run continue outside of its upgrade windows, until it ends. Rejected without a reason, when the policy has no windows, and when
 * the run is aborting or over.
 */
export const overrideWindowUpdate = update<Acknowledgement, [OperatorRequest]>('overrideWindow');

/**
 * Lets a Service lose connections that the run can't protect, for example because its load balancer came during the run. Rejected without a
 * reason, without a Service, and when it was accepted already. Steps that are stalled continue after a resume.
 */
export const acceptUnprotectedUpdate = update<Acknowledgement, [OperatorRequest]>('acceptUnprotected');

/** Status of a run. A node in progress is `replacing` here; the `status` query of its own workflow has the step. */
export const statusQuery = query<RunStatus>('status');

/**
 * Search attributes of pool upgrades; node replacements have the first two. They must be registered in the namespace
 * before a worker or client uses them.
 */
export const searchAttributes = {
  cluster: { name: 'NodeferryCluster', type: 'KEYWORD' },
  pool: { name: 'NodeferryPool', type: 'KEYWORD' },
  phase: { name: 'NodeferryPhase', type: 'KEYWORD' },
  stalled: { name: 'NodeferryStalled', type: 'BOOL' },
} as const;

/** What Temporal keeps with a run, so that runs can be listed without a worker. */
export interface RunMemo {
  readonly run: string;
  readonly newPool: string;
  /** Kubernetes version of the new nodes, if the policy names one. */
  readonly version?: string;
  /** Why the run waits for an operator, which it publishes itself; absent while it waits for none. */
  readonly needs?: OperatorNeeds | undefined;
}

/** The search attributes that say which pool a workflow, or a schedule, is about. */
export function attributesOf(cluster: string, pool: string) {
  return [
    { key: searchAttributes.cluster, value: cluster },
    { key: searchAttributes.pool, value: pool },
  ];
}

/** How every run is started, by whomever: its ID, and what lists and the web UI show of it. */
export function upgradeOptions(run: string, policy: Policy) {
  const { cluster, pool } = policy;
  return {
    workflowId: poolUpgradeId(cluster.name, pool.name),
    typedSearchAttributes: attributesOf(cluster.name, pool.name),
    memo: runMemo(run, policy),
    staticSummary: upgradeSummary(policy),
    staticDetails: upgradeDetails(policy),
  };
}

/** The memo that a run is started with. */
function runMemo(run: string, { target: { poolName: newPool, version } }: Pick<Policy, 'target'>) {
  return { run, newPool, ...(version === undefined ? {} : { version }) } satisfies RunMemo;
}

/** One of the search attributes. */
export type SearchAttribute = (typeof searchAttributes)[keyof typeof searchAttributes];

/** Flags of `temporal server start-dev` that register the search attributes. */
export function searchAttributeFlags(): readonly string[] {
  return Object.values(searchAttributes).flatMap((one) => ['--search-attribute', typedAttribute(one)]);
}
