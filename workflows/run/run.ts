import {
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { renderDetails } from '../../core/status/render-details.ts';
import type { NodeStatus, OperatorAction, PoolPhase, RunStatus, TrafficCounts } from '../../core/status/status.ts';
import {
  abortUpdate,
  nodeParkedSignal,
  type OperatorRequest,
  type PoolUpgradeInput,
  pauseUpdate,
  resumeUpdate,
  searchAttributes,
  statusQuery,
} from '../messages.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { failWith, settle } from './steps.ts';

/** A lock, as the step that takes it answers. */
export type Lock = Extract<Awaited<ReturnType<Activities['acquireLock']>>, { outcome: 'done' }>['lock'];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A node's workflow that has not ended yet. */
export interface ChildOnItsWay {
  readonly node: NodeRef;
  readonly ended: Promise<void>;
  readonly retry: () => Promise<void>;
  /** It was told to put itself back. */
  readonly isCancelled: () => boolean;
}

/** The watch over traffic and lock that goes on beside a run. */
export interface RunWatch {
  /** Ends it and takes over the last counts. */
  stop(): Promise<void>;
}

/** All that a pool upgrade remembers while it runs. */
export interface Run {
  readonly input: PoolUpgradeInput;
  readonly status: Mutable<RunStatus>;
  /** What was changed and must be put back, oldest first. */
  readonly ledger: LedgerEntry[];
  /** What abort cancels. */
  readonly forward: CancellationScope;
  /** Nodes on their way, by name. */
  readonly children: Record<string, ChildOnItsWay>;
  /** Problems of nodes that wait for an operator, by name. */
  readonly parked: Record<string, Problem>;
  plan: PoolPlan | undefined;
  lock: Lock | undefined;
  watch: RunWatch | undefined;
  newNodes: readonly NodeRef[];
  notProtected: string[];
  aborting: boolean;
  /** Rises with every resume, so that whoever is parked notices. */
  resumes: number;
  /** Latest time (epoch ms) that a step answered with. */
  now: number;
}

const over: readonly PoolPhase[] = ['completed', 'aborted', 'failed'];
const noTraffic: TrafficCounts = { sent: 0, lost: 0, slow: 0 };

/** Opens a run: its status, and its handlers before anything else can happen. */
export function openRun(input: PoolUpgradeInput): Run {
  const { policy } = input;
  const startedAt = Date.now();
  const run: Run = {
    input,
    status: {
      run: input.run,
      workflowId: workflowInfo().workflowId,
      cluster: policy.cluster.name,
      pool: policy.pool.name,
      newPool: policy.target.poolName,
      fromVersion: '',
      toVersion: policy.target.version ?? '',
      phase: 'preflight',
      startedAt,
      finishedAt: undefined,
      paused: undefined,
      needsAttention: undefined,
      waiting: undefined,
      nodes: [],
      traffic: noTraffic,
      disabledRules: policy.disabledRules,
      actions: [{ action: 'start', by: input.by, reason: input.reason, at: startedAt }],
    },
    ledger: [],
    forward: new CancellationScope(),
    children: {},
    parked: {},
    plan: undefined,
    lock: undefined,
    watch: undefined,
    newNodes: [],
    notProtected: [],
    aborting: false,
    resumes: 0,
    now: startedAt,
  };
  setHandlers(run);
  return run;
}

function setHandlers(run: Run): void {
  const { status } = run;
  setHandler(statusQuery, () => status);
  setHandler(nodeParkedSignal, ({ node, step, problem }) => {
    const child = run.children[node];
    // A node that had not heard yet that it shall put itself back will do so without anybody's help.
    const moot = child?.isCancelled() === true && step !== 'putting-back' && step !== 'terminating';
    if (child === undefined || moot) return;
    run.parked[node] = problem;
    changeNode(run, node, { step: 'needs-attention', problem });
    showAttention(run);
  });
  setHandler(pauseUpdate, (request) => answer(run, 'pause', request), {
    description: 'Stop new step-outs; nodes on their way finish',
    validator: (request) => {
      requireOpen(run, request);
      if (run.aborting) throw refuse('the run is being aborted');
      if (status.paused !== undefined)
        throw refuse(`it was paused already by ${status.paused.by}: ${status.paused.reason}`);
    },
  });
  setHandler(resumeUpdate, (request) => answer(run, 'resume', request), {
    description: 'End a pause and retry what needs attention',
    validator: (request) => {
      requireOpen(run, request);
      if (status.paused === undefined && status.needsAttention === undefined) {
        throw refuse('it is neither paused nor in need of attention');
      }
    },
  });
  setHandler(abortUpdate, (request) => answer(run, 'abort', request), {
    description: 'Put everything back, capacity included',
    validator: (request) => {
      requireOpen(run, request);
      if (run.aborting) throw refuse('it is being aborted already');
      if (status.phase === 'finalize') throw refuse('every node has been replaced; there is nothing to go back to');
    },
  });
}

function requireOpen(run: Run, request: OperatorRequest): void {
  if (typeof request?.by !== 'string' || typeof request.reason !== 'string')
    throw refuse('it was not said who asks, and why');
  if (over.includes(run.status.phase)) throw refuse(`the run is over: ${run.status.phase}`);
}

function refuse(why: string) {
  return failWith({ code: 'Conflict', message: `refused: ${why}` });
}

function answer(run: Run, action: OperatorAction['action'], { by, reason }: OperatorRequest): RunStatus {
  const at = Date.now();
  run.status.actions = [...run.status.actions, { action, by, reason, at }];
  if (action === 'pause') run.status.paused = { by, reason, at };
  if (action === 'resume') {
    run.status.paused = undefined;
    run.status.needsAttention = undefined;
    run.resumes += 1;
    retryParked(run);
  }
  if (action === 'abort') {
    turnAround(run);
    run.forward.cancel();
  }
  show(run);
  return run.status;
}

/** From now on the run goes backwards; what it waited for an operator for is moot. */
export function turnAround(run: Run): void {
  run.aborting = true;
  run.status.paused = undefined;
  run.status.needsAttention = undefined;
  // Putting back needs the lock too: whoever waits to take it again tries now.
  run.resumes += 1;
  // A node past the point of no return has to go on; the others put themselves back.
  retryParked(run);
}

function retryParked(run: Run): void {
  for (const name of Object.keys(run.parked)) {
    delete run.parked[name];
    changeNode(run, name, { step: 'stepping-out', problem: undefined });
    // A node that has ended meanwhile needs no signal.
    run.children[name]?.retry().catch(() => undefined);
  }
}

/** A node that has ended needs nobody any more, whatever it waited for. */
export function unpark(run: Run, name: string): void {
  const problem = run.parked[name];
  if (problem === undefined) return;
  delete run.parked[name];
  if (run.status.needsAttention !== problem) return;
  run.status.needsAttention = undefined;
  showAttention(run);
}

/** Goes to a phase and tells everybody who looks. */
export function enter(run: Run, phase: PoolPhase): void {
  run.status.phase = phase;
  run.status.waiting = undefined;
  upsertSearchAttributes([
    { key: searchAttributes.phase, value: phase },
    { key: searchAttributes.needsAttention, value: run.status.needsAttention !== undefined },
  ]);
  show(run);
}

/** What may change of a node; a problem that is given as undefined is over. */
export type NodeChange = Partial<Omit<NodeStatus, 'problem'>> & { readonly problem?: Problem | undefined };

/** Changes what is known of one node. */
export function changeNode(run: Run, name: string, change: NodeChange): void {
  run.status.nodes = run.status.nodes.map((known) => {
    if (known.node.name !== name) return known;
    const { problem, ...rest } = { ...known, ...change };
    return problem === undefined ? rest : { ...rest, problem };
  });
  show(run);
}

/** Refreshes the page that the Temporal UI shows; costs no history. */
export function show(run: Run): void {
  setCurrentDetails(renderDetails(run.status));
}

/** Whether nodes may step out now. */
export function mayGrant(run: Run): boolean {
  return run.status.paused === undefined && run.status.needsAttention === undefined;
}

/** Runs a step until it is done. One that can't be done parks the run until an operator resumes (or aborts) it. */
export async function attempt<T>(run: Run, on: string, step: () => Promise<Outcome<T>>): Promise<Done<T>> {
  for (;;) {
    run.status.waiting = { on, since: run.now, until: undefined };
    show(run);
    const outcome = await settle(step);
    if (outcome.outcome === 'done') {
      run.now = Math.max(run.now, outcome.at);
      return outcome;
    }
    await needAttention(run, outcome.problem);
  }
}

/** Says that an operator is needed; no node steps out until one has resumed. */
export function raise(run: Run, problem: Problem): void {
  run.status.needsAttention = problem;
  showAttention(run);
}

/** Parks until an operator resumes. */
export async function needAttention(run: Run, problem: Problem): Promise<void> {
  const { resumes } = run;
  raise(run, problem);
  await condition(() => run.resumes > resumes);
  showAttention(run);
}

function showAttention(run: Run): void {
  run.status.needsAttention ??= Object.values(run.parked)[0];
  const value = run.status.needsAttention !== undefined;
  upsertSearchAttributes([{ key: searchAttributes.needsAttention, value }]);
  show(run);
}

/** The plan; a step that needs it can't come before preflight. */
export function planOf(run: Run): PoolPlan {
  if (run.plan === undefined) throw failWith({ code: 'Internal', message: 'there is no plan yet' });
  return run.plan;
}
