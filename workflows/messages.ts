/**
 * What a client and the workflows say to each other: names, ids, payload types. Plain data without SDK code at run time,
 * so that a CLI, a worker and the workflow sandbox can all load it.
 */
import type { QueryDefinition, SignalDefinition, UpdateDefinition } from '@temporalio/common';
import type { ServiceBaseline } from '../core/guard/baseline.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { Problem } from '../core/model/problem.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { NodeStatus, RunStatus } from '../core/status/status.ts';
import type { NodeStep } from '../core/steps/node-steps.ts';
import type { PoolPhase } from '../core/steps/pool-phases.ts';
import type { NodesAside } from '../core/waits/hosts.ts';
import type { EndpointSnapshot } from '../core/waits/replacements.ts';

/** Task queue of workflows and activities unless the configuration names another. */
export const defaultTaskQueue = 'nodeferry';

/** Steps that last as long as a run does, or as a run may wait for capacity, and pauses. They have slots of their own on a worker. */
export const longWaits = ['monitorRun', 'excludeNext', 'sleepFor', 'awaitReachable'] as const;

/** Task queue of the long waits of runs on this queue. */
export function longQueue(taskQueue: string): string {
  return `${taskQueue}-long`;
}

/** Workflow types, as a client starts them by name. */
export const workflowTypes = { poolUpgrade: 'poolUpgrade', nodeReplacement: 'nodeReplacement' } as const;

/**
 * ID of the workflow that upgrades a pool. One id per pool is the lock between runs: start it with the conflict policy
 * FAIL, so that a second upgrade of the same pool is refused by the server.
 */
export function poolUpgradeId(cluster: string, pool: string): string {
  return `pool-upgrade/${cluster}/${pool}`;
}

/** ID of the workflow that replaces one node; `pool` is the pool that the node belongs to. */
export function nodeReplacementId(cluster: string, pool: string, run: string, node: string): string {
  return `node-replacement/${cluster}/${pool}/${run}/${node}`;
}

/** What a pool upgrade is started with. */
export interface PoolUpgradeInput {
  /** Names the run on everything that it marks: 1-40 characters of `a-z`, `0-9` and `-`, as in a label value. */
  readonly run: string;
  readonly policy: Policy;
  /** Who starts it and why; opens the audit trail. */
  readonly by: string;
  readonly reason: string;
}

/** What a node replacement is started with; the pool upgrade starts it once the node has stepped out. */
export interface NodeReplacementInput {
  readonly run: string;
  /** Workflow ID of the pool upgrade that is told when the node needs attention. */
  readonly parent: string;
  readonly node: NodeRef;
  /** Pool that the node belongs to and is terminated from. */
  readonly pool: PoolRef;
  readonly policy: Policy;
  /** What each Service that the node has to do with was seen to serve at its best. */
  readonly baselines: readonly ServiceBaseline[];
  /** How often the run has let the node go by now. */
  readonly round: number;
  /** How often somebody had resumed the run by now. */
  readonly resumes: number;
  /** Epoch ms at which it was excluded from load balancers. */
  readonly excludedAt: number;
  /** Ready endpoints of its Services before that. */
  readonly before: EndpointSnapshot;
  /** Nodes beside it that load balancers sent nothing to by then; absent when there was none. */
  readonly aside?: NodesAside;
  /** Observed of the node so far: it was registered and healthy, and excluded. */
  readonly evidence: NodeStatus['evidence'];
}

/** Who asks for something, and why; kept in the audit trail. */
export interface OperatorRequest {
  readonly by: string;
  readonly reason: string;
}

/**
 * The answer to an operator: that it was taken, and where the run stands. How it stands in full is the `status` query's: a history keeps
 * every answer of an update, and the status of hundreds of nodes is large.
 */
export interface Acknowledgement {
  readonly run: string;
  readonly phase: PoolPhase;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * Takes back an update that nobody has answered, by its ID: from then on it is refused. An update that no worker has taken yet stays with
 * the server, which gives it to the next worker, however late; without this one, a command that was told as failed would take effect then.
 */
export const withdrawSignal = signal<[string]>('withdraw');

/** Stops new step-outs; nodes on their way out finish. Rejected when paused already, aborting or over. */
export const pauseUpdate = update<Acknowledgement, [OperatorRequest]>('pause');

/** Ends a pause, retries every step that needs attention, or both. Rejected when there is nothing to resume. */
export const resumeUpdate = update<Acknowledgement, [OperatorRequest]>('resume');

/** Puts everything back, capacity included. Rejected when aborting already, or when every node has been replaced. */
export const abortUpdate = update<Acknowledgement, [OperatorRequest]>('abort');

/** State of a run. A node on its way out is `stepping-out` here; its own workflow's `nodeStatus` query knows the step. */
export const statusQuery = query<RunStatus>('status');

/** State of one node's replacement. */
export const nodeStatusQuery = query<NodeStatus>('status');

/** Node workflow to pool workflow: a step of this node needs attention. */
export const nodeStalledSignal = signal<[NodeStalled]>('nodeStalled');

/** Node workflow to pool workflow: what this node waited for an operator for has come about without one. */
export const nodeGoesOnSignal = signal<[string]>('nodeGoesOn');

/** Node workflow to pool workflow: this node was put back. Only a run that goes on hears it, which is what the node wants to know. */
export const nodeRestoredSignal = signal<[string]>('nodeRestored');

/** Pool workflow to node workflow: the run does not know of it, because it was reset; it is on its own. */
export const abandonedSignal = signal<[]>('abandoned');

/**
 * Pool workflow to node workflow: somebody resumed the run, for the n-th time; whatever has stopped or stops now tries again. `isAborted`
 * when the node shall come back in: the cancellation that says the same may arrive later.
 */
export const resumedSignal = signal<[number, { readonly isAborted: boolean }]>('resumed');

/** Pool workflow to node workflow: come back in, for this reason, if no pod has been told to leave yet. */
export const recallSignal = signal<[string]>('hold');

/** What a parked node tells its pool. */
export interface NodeStalled {
  readonly node: string;
  /** Its workflow. */
  readonly workflowId: string;
  /** What it could not do. */
  readonly step: NodeStep;
  readonly problem: Problem;
  /** How many resumes of the run the node had heard of when it parked. */
  readonly resumes: number;
}

/**
 * Search attributes of pool upgrades (the first two also of node replacements). They have to be registered in the
 * namespace before a worker or client uses them.
 */
export const searchAttributes = {
  cluster: { name: 'NodeferryCluster', type: 'KEYWORD' },
  pool: { name: 'NodeferryPool', type: 'KEYWORD' },
  phase: { name: 'NodeferryPhase', type: 'KEYWORD' },
  stalled: { name: 'NodeferryStalled', type: 'BOOL' },
} as const;

/** How the `temporal` command line spells the type of a search attribute. */
export function commandLineType(type: (typeof searchAttributes)[keyof typeof searchAttributes]['type']): string {
  return type === 'BOOL' ? 'Bool' : 'Keyword';
}

/** Flags with which `temporal server start-dev` registers them. */
export function searchAttributeFlags(): readonly string[] {
  return Object.values(searchAttributes).flatMap(({ name, type }) => [
    '--search-attribute',
    `${name}=${commandLineType(type)}`,
  ]);
}

function update<Ret, Args extends unknown[]>(name: string): UpdateDefinition<Ret, Args> {
  return { type: 'update', name } as UpdateDefinition<Ret, Args>;
}

function query<Ret>(name: string): QueryDefinition<Ret> {
  return { type: 'query', name } as QueryDefinition<Ret>;
}

function signal<Args extends unknown[]>(name: string): SignalDefinition<Args> {
  return { type: 'signal', name } as SignalDefinition<Args>;
}
