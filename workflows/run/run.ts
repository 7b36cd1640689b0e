import { condition, log, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { PoolStepInput } from '../../activities/fence.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { RunEvent } from '../../core/run/events.ts';
import { reduce } from '../../core/run/reduce.ts';
import { policyOf, type RunState } from '../../core/run/state.ts';
import { explainNeeds, type OperatorNeeds, operatorNeeds } from '../../core/status/operator-needs.ts';
import type { PoolPhase } from '../../core/steps/pool-phases.ts';
import { type PoolUpgradeInput, type RunMemo, searchAttributes } from '../messages.ts';
import type { RunHandles } from './handles.ts';
import { failWith, toOutcome } from './steps.ts';

/** A pool upgrade while it runs: its input, its state, and its live objects. */
export interface Run {
  readonly input: PoolUpgradeInput;
  /** Changed only by `apply`. */
  state: RunState;
  readonly handles: RunHandles;
}

/**
 * Applies an event to a run. Only this changes its state. Publishes when the run begins or ceases to need an operator.
 */
export function apply(run: Run, event: RunEvent): void {
  const before = run.state.status;
  run.state = reduce(run.state, event);
  const { status } = run.state;
  if (status === before) return;
  publishNeeds(operatorNeeds(before), operatorNeeds(status));
}

/** Publishes why the run waits for an operator, if that has changed, and logs it. No search attribute is needed for it. */
function publishNeeds(before: OperatorNeeds | undefined, needs: OperatorNeeds | undefined): void {
  if (JSON.stringify(before) === JSON.stringify(needs)) return;
  upsertMemo({ needs } satisfies Pick<RunMemo, 'needs'>);
  if (needs === undefined) log.info('the run needs no operator any more');
  else log.warn(`the run needs an operator: ${explainNeeds(needs)}`, { needs });
}

/** Records the time (epoch ms) that a step returned. */
export function recordTime(run: Run, at: number): void {
  apply(run, { type: 'recordTime', at, clock: Date.now() });
}

/** The input of the next step of the pool. Its sequence number rises with each step, and above the steps that a reset of the workflow has discarded. */
export function nextStep(run: Run): PoolStepInput {
  apply(run, { type: 'advanceSequence', clock: Date.now() });
  const { plan, sequence } = run.state;
  const { unreadyBefore } = plan ?? {};
  const policy = policyOf(run.state, run.input.policy);
  return { run: run.input.run, policy, sequence, ...(unreadyBefore && { unreadyBefore }) };
}

/** Enters a phase and publishes it. */
export function setPhase(run: Run, phase: PoolPhase): void {
  apply(run, { type: 'setPhase', phase });
  publishPhase(run);
}

/** Publishes the phase of the run, and whether it is stalled, as search attributes. */
export function publishPhase({ state: { status } }: Run): void {
  upsertSearchAttributes([
    { key: searchAttributes.phase, value: status.phase },
    { key: searchAttributes.stalled, value: status.stalled !== undefined },
  ]);
}

/** Publishes whether the run is stalled, as a search attribute. */
export function publishStalled({ state: { status } }: Run): void {
  upsertSearchAttributes([{ key: searchAttributes.stalled, value: status.stalled !== undefined }]);
}

/** Applies an event that may stall the run or end that; publishes the change. */
export function applyAndPublish(run: Run, event: RunEvent): void {
  const { stalled } = run.state.status;
  apply(run, event);
  if (run.state.status.stalled !== stalled) publishStalled(run);
}

/** What a run waits for, and what would end the wait earlier. */
type Goal = string | { readonly for: string; readonly action: string };

/**
 * Runs a step until it is done. A step that fails stalls the run until an operator resumes (or aborts) it, or until `isOutdated` says that
 * the step would do something else now.
 */
export async function runUntilDone<T>(
  run: Run,
  goal: Goal,
  step: () => Promise<Outcome<T>>,
  isOutdated?: () => boolean,
): Promise<Done<T>> {
  const waiting = { ...(typeof goal === 'string' ? { for: goal } : goal), until: undefined };
  for (;;) {
    const { resumes } = run.state;
    apply(run, { type: 'setWaiting', waiting });
    const outcome = await toOutcome(step);
    if (outcome.outcome === 'done') {
      recordTime(run, outcome.at);
      return outcome;
    }
    await stallUntilResumed(run, outcome.problem, resumes, isOutdated);
  }
}

/**
 * Stalls the run until it has been resumed more than `resumes` times, the count when the failed step began, or until `isOutdated` says that
 * the problem does not matter any more.
 */
export async function stallUntilResumed(
  run: Run,
  problem: Problem,
  resumes: number,
  isOutdated: () => boolean = () => false,
): Promise<void> {
  const isOver = () => run.state.resumes > resumes || isOutdated();
  if (isOver()) return;
  applyAndPublish(run, { type: 'stall', problem });
  await condition(isOver);
  applyAndPublish(run, { type: 'endStall', problem });
}

/** The plan. @throws ApplicationFailure Internal before preflight has made it */
export function requirePlan({ state: { plan } }: Run): PoolPlan {
  if (plan === undefined) throw failWith({ code: 'Internal', message: 'there is no plan yet' });
  return plan;
}
