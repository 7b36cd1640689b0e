import { type CancellationScope, condition, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { PoolStepInput } from '../../activities/fence.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { ServiceBaseline } from '../../core/guard/baseline.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { addForeignActs } from '../../core/status/foreign-acts.ts';
import { renderDetails } from '../../core/status/render-details.ts';
import type { ForeignAct, NodeStatus, PoolPhase, RunStatus, TrafficCounts } from '../../core/status/status.ts';
import { type PoolUpgradeInput, searchAttributes } from '../messages.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { failWith, settle } from './steps.ts';

/** A lock, as the step that takes it answers. */
export type Lock = Extract<Awaited<ReturnType<Activities['acquireLock']>>, { outcome: 'done' }>['lock'];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A node's workflow that has not ended yet. */
export interface ChildOnItsWay {
  readonly node: NodeRef;
  readonly ended: Promise<void>;
  readonly tellResumed: (resumes: number, told: { readonly isAborted: boolean }) => Promise<void>;
  /** Has it come back in, if no pod has been told to leave yet. */
  readonly hold: (reason: string) => Promise<void>;
  /** It was told to put itself back. */
  readonly isCancelled: () => boolean;
}

/** The watch over traffic and lock that goes on beside a run. */
export interface RunWatch {
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
  readonly ledger: LedgerEntry[];
  /** What abort cancels. */
  readonly forward: CancellationScope;
  /** Nodes on their way, by name. */
  readonly children: Record<string, ChildOnItsWay>;
  /** Problems of nodes that wait for an operator, by name. */
  readonly parked: Record<string, Problem>;
  /** How often each node was let go, by name. */
  readonly rounds: Record<string, number>;
  /** Of the last step of the pool; see `nextStep`. */
  turn: number;
  /** What each Service was seen to serve at its best. */
  baselines: readonly ServiceBaseline[];
  /** A step is under way that may let a node go. */
  isAsking: boolean;
  plan: PoolPlan | undefined;
  lock: Lock | undefined;
  watch: RunWatch | undefined;
  newNodes: readonly NodeRef[];
  /** When (epoch ms) how many machines, or how many more, the new pool was asked for. */
  readonly asked: { readonly at: number; readonly machines: number }[];
  /** Load balancers have taken the new nodes. */
  areNewNodesRegistered: boolean;
  notProtected: string[];
  /** Workloads that could not be handed over, by key: the nodes that are left try no more. */
  givenUp: readonly string[];
  /** What stays as it is at the end although we changed it, in words, because putting it back would do harm. */
  readonly keptOnPurpose: string[];
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
  doneAt: number | undefined;
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
  run.turn = Math.max(run.turn + 1, Date.now());
  return { run: run.input.run, policy: run.input.policy, turn: run.turn };
}

/** Keeps what others did. */
export function tellForeignActs(run: Run, acts: readonly ForeignAct[]): void {
  if (acts.length === 0) return;
  run.status.foreignActs = addForeignActs(run.status.foreignActs, acts);
  show(run);
}

/** Keeps what could not be protected; the same is told once. */
export function tellNotProtected(run: Run, what: readonly string[]): void {
  run.notProtected = [...new Set([...run.notProtected, ...what])];
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
export function mayStepOut({ status: { paused, needsAttention } }: Run): boolean {
  return paused === undefined && (needsAttention === undefined || sparesOthers(needsAttention));
}

/** Whether other nodes may go on while an operator is asked about this. */
export function sparesOthers({ code }: Problem): boolean {
  return code === 'NodeUnreachable';
}

/** Runs a step until it is done. One that can't be done parks the run until an operator resumes (or aborts) it. */
export async function attempt<T>(run: Run, on: string, step: () => Promise<Outcome<T>>): Promise<Done<T>> {
  for (;;) {
    const { resumes } = run;
    run.status.waiting = { on, since: run.now, until: undefined };
    show(run);
    const outcome = await settle(step);
    if (outcome.outcome === 'done') {
      hear(run, outcome.at);
      return outcome;
    }
    await needAttention(run, outcome.problem, resumes);
  }
}

/** Says that an operator is needed; no node steps out until one has resumed. */
export function raise(run: Run, problem: Problem): void {
  run.status.needsAttention = problem;
  showAttention(run);
}

/** Parks until an operator has resumed the run more often than `resumes`, its count when the trouble began. */
export async function needAttention(run: Run, problem: Problem, resumes: number): Promise<void> {
  if (run.resumes > resumes) return;
  raise(run, problem);
  await condition(() => run.resumes > resumes);
  showAttention(run);
}

/** Tells whether an operator is needed, and for what. */
export function showAttention(run: Run): void {
  const { needsAttention: told } = run.status;
  // What keeps all nodes is told before what keeps one.
  if (told === undefined || sparesOthers(told)) {
    const parked = Object.values(run.parked);
    run.status.needsAttention = parked.find((problem) => !sparesOthers(problem)) ?? told ?? parked[0];
  }
  const value = run.status.needsAttention !== undefined;
  upsertSearchAttributes([{ key: searchAttributes.needsAttention, value }]);
  show(run);
}

/** The plan; a step that needs it can't come before preflight. */
export function planOf(run: Run): PoolPlan {
  if (run.plan === undefined) throw failWith({ code: 'Internal', message: 'there is no plan yet' });
  return run.plan;
}
