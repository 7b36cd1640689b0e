import { type CancellationScope, condition, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { PoolStepInput } from '../../activities/fence.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { ServiceBaseline } from '../../core/guard/baseline.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { addExternalChanges } from '../../core/status/external-changes.ts';
import { renderDetails } from '../../core/status/render-details.ts';
import type { ExternalChange, NodeStatus, PoolPhase, RunStatus, TrafficCounts } from '../../core/status/status.ts';
import { type PoolUpgradeInput, searchAttributes } from '../messages.ts';
import type { RollbackEntry } from './rollback-entry.ts';
import { failWith, toOutcome } from './steps.ts';

/** A lock, as the step that takes it answers. */
export type Lock = Extract<Awaited<ReturnType<Activities['acquireLock']>>, { outcome: 'done' }>['lock'];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A node's workflow that has not ended yet. */
export interface NodeHandle {
  readonly node: NodeRef;
  readonly ended: Promise<void>;
  readonly notifyResumed: (resumes: number, told: { readonly isAborted: boolean }) => Promise<void>;
  /** Has it come back in, if no pod has been told to leave yet. */
  readonly recall: (reason: string) => Promise<void>;
  /** It was told to put itself back. */
  readonly isCancelled: () => boolean;
}

/** The watch over traffic and lock that goes on beside a run. */
export interface Monitor {
  /** Takes over what it had counted at a moment (epoch ms), as its heartbeat said. */
  takeOver(counts: TrafficCounts, seenAt: number): void;
  /** Ends it and takes over the last counts. */
  stop(): Promise<void>;
}

/** All that a pool upgrade remembers while it runs. */
export interface Run {
  readonly input: PoolUpgradeInput;
  readonly status: Mutable<RunStatus>;
  /** What was changed and must be put back, oldest first. */
  readonly rollback: RollbackEntry[];
  /** What abort cancels. */
  readonly forward: CancellationScope;
  /** Nodes on their way, by name. */
  readonly children: Record<string, NodeHandle>;
  /** Problems of nodes that wait for an operator, by name. */
  readonly stalledNodes: Record<string, Problem>;
  /** How often each node was let go, by name. */
  readonly rounds: Record<string, number>;
  /** Of the last step of the pool; see `nextStep`. */
  sequence: number;
  /** What each Service was seen to serve at its best. */
  baselines: readonly ServiceBaseline[];
  /** A step is under way that may let a node go. */
  isAsking: boolean;
  plan: PoolPlan | undefined;
  lock: Lock | undefined;
  watch: Monitor | undefined;
  newNodes: readonly NodeRef[];
  /** When (epoch ms) how many machines, or how many more, the new pool was asked for. */
  readonly requested: { readonly at: number; readonly instances: number }[];
  /** Load balancers have taken the new nodes. */
  areNewNodesRegistered: boolean;
  unprotected: string[];
  /** Workloads that could not be handed over, by key: the nodes that are left try no more. */
  evictedInstead: readonly string[];
  /** What stays as it is at the end although we changed it, in words, because putting it back would do harm. */
  readonly retained: string[];
  aborting: boolean;
  /** IDs of updates that operators have taken back before anybody had them. */
  readonly withdrawn: string[];
  /** Rises with every resume, so that whoever is parked notices. */
  resumes: number;
  /** Latest time (epoch ms) that a step answered with. */
  now: number;
  /** When it did so, by the workflow's own clock, epoch ms. */
  heardAt: number;
  /** Epoch ms at which nothing was left to do but to watch for a while; undefined before. */
  idleAt: number | undefined;
}

/** Takes over the time (epoch ms) that a step answered with. */
export function hear(run: Run, at: number): void {
  run.now = Math.max(run.now, at);
  run.heardAt = Date.now();
}

/** The time (epoch ms) that a step would answer with now: a run may end while it waits for one, or when one has given up. */
export function timeOf(run: Run): number {
  return run.now + Date.now() - run.heardAt;
}

/** What the next step of the pool is told. Its turn rises from step to step, and also above those that a reset has made undone. */
export function nextStep(run: Run): PoolStepInput {
  run.sequence = Math.max(run.sequence + 1, Date.now());
  return { run: run.input.run, policy: run.input.policy, sequence: run.sequence };
}

/** Keeps what others did. */
export function recordExternalChanges(run: Run, acts: readonly ExternalChange[]): void {
  if (acts.length === 0) return;
  run.status.externalChanges = addExternalChanges(run.status.externalChanges, acts);
  publishDetails(run);
}

/** Keeps what could not be protected; the same is told once. */
export function recordUnprotected(run: Run, what: readonly string[]): void {
  run.unprotected = [...new Set([...run.unprotected, ...what])];
}

/** Goes to a phase and tells everybody who looks. */
export function setPhase(run: Run, phase: PoolPhase): void {
  run.status.phase = phase;
  run.status.waiting = undefined;
  upsertSearchAttributes([
    { key: searchAttributes.phase, value: phase },
    { key: searchAttributes.stalled, value: run.status.stalled !== undefined },
  ]);
  publishDetails(run);
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
  publishDetails(run);
}

/** Refreshes the page that the Temporal UI shows; costs no history. */
export function publishDetails(run: Run): void {
  setCurrentDetails(renderDetails(run.status));
}

/** Whether nodes may step out now. */
export function mayProceed({ status: { paused, stalled } }: Run): boolean {
  return paused === undefined && (stalled === undefined || sparesOthers(stalled));
}

/** Whether other nodes may go on while an operator is asked about this. */
export function sparesOthers({ code }: Problem): boolean {
  return code === 'NodeUnreachable';
}

/** Runs a step until it is done. One that can't be done parks the run until an operator resumes (or aborts) it. */
export async function runUntilDone<T>(run: Run, on: string, step: () => Promise<Outcome<T>>): Promise<Done<T>> {
  for (;;) {
    const { resumes } = run;
    run.status.waiting = { for: on, since: run.now, until: undefined };
    publishDetails(run);
    const outcome = await toOutcome(step);
    if (outcome.outcome === 'done') {
      hear(run, outcome.at);
      return outcome;
    }
    await stallUntilResumed(run, outcome.problem, resumes);
  }
}

/** Says that an operator is needed; no node steps out until one has resumed. */
export function stall(run: Run, problem: Problem): void {
  run.status.stalled = problem;
  publishStalled(run);
}

/** Parks until an operator has resumed the run more often than `resumes`, its count when the trouble began. */
export async function stallUntilResumed(run: Run, problem: Problem, resumes: number): Promise<void> {
  if (run.resumes > resumes) return;
  stall(run, problem);
  await condition(() => run.resumes > resumes);
  publishStalled(run);
}

/** Tells whether an operator is needed, and for what. */
export function publishStalled(run: Run): void {
  const { stalled: told } = run.status;
  // What keeps all nodes is told before what keeps one.
  if (told === undefined || sparesOthers(told)) {
    const stalledNodes = Object.values(run.stalledNodes);
    run.status.stalled = stalledNodes.find((problem) => !sparesOthers(problem)) ?? told ?? stalledNodes[0];
  }
  const value = run.status.stalled !== undefined;
  upsertSearchAttributes([{ key: searchAttributes.stalled, value }]);
  publishDetails(run);
}

/** The plan; a step that needs it can't come before preflight. */
export function requirePlan(run: Run): PoolPlan {
  if (run.plan === undefined) throw failWith({ code: 'Internal', message: 'there is no plan yet' });
  return run.plan;
}
