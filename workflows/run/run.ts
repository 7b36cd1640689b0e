import { condition, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { PoolStepInput } from '../../activities/fence.ts';
import type { Done, Outcome } from '../../activities/polling.ts';
import type { Problem } from '../../core/model/problem.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import type { RunEvent } from '../../core/run/events.ts';
import { reduce } from '../../core/run/reduce.ts';
import type { RunState } from '../../core/run/state.ts';
import { renderDetails } from '../../core/status/render-details.ts';
import type { PoolPhase } from '../../core/steps/pool-phases.ts';
import { type PoolUpgradeInput, searchAttributes } from '../messages.ts';
import type { RunHandles } from './handles.ts';
import { failWith, toOutcome } from './steps.ts';

/** A pool upgrade while it runs: what it was asked for, what it knows, and what it holds. */
export interface Run {
  readonly input: PoolUpgradeInput;
  /** Only `apply` sets another one. */
  state: RunState;
  readonly handles: RunHandles;
}

/** Has something happen to a run: the only way in which its state changes. Refreshes the page that the Temporal UI shows; costs no history. */
export function apply(run: Run, event: RunEvent): void {
  const before = run.state;
  run.state = reduce(before, event);
  if (run.state.status !== before.status) setCurrentDetails(renderDetails(run.state.status));
}

/** Takes over the time (epoch ms) that a step answered with. */
export function hear(run: Run, at: number): void {
  apply(run, { type: 'recordTime', at, clock: Date.now() });
}

/** What the next step of the pool is told. Its turn rises from step to step, and also above those that a reset has made undone. */
export function nextStep(run: Run): PoolStepInput {
  apply(run, { type: 'advanceSequence', clock: Date.now() });
  return { run: run.input.run, policy: run.input.policy, sequence: run.state.sequence };
}

/** Goes to a phase and tells everybody who looks. */
export function setPhase(run: Run, phase: PoolPhase): void {
  apply(run, { type: 'setPhase', phase });
  publishPhase(run);
}

/** Tells in which phase the run is, and whether an operator is needed. */
export function publishPhase({ state: { status } }: Run): void {
  upsertSearchAttributes([
    { key: searchAttributes.phase, value: status.phase },
    { key: searchAttributes.stalled, value: status.stalled !== undefined },
  ]);
}

/** Tells whether an operator is needed. */
export function publishStalled({ state: { status } }: Run): void {
  upsertSearchAttributes([{ key: searchAttributes.stalled, value: status.stalled !== undefined }]);
}

/** Has something happen to a run that may be what an operator is needed for, or no more; tells it where that is so. */
export function applyAndPublish(run: Run, event: RunEvent): void {
  const { stalled } = run.state.status;
  apply(run, event);
  if (run.state.status.stalled !== stalled) publishStalled(run);
}

/** Runs a step until it is done. One that can't be done parks the run until an operator resumes (or aborts) it. */
export async function runUntilDone<T>(run: Run, on: string, step: () => Promise<Outcome<T>>): Promise<Done<T>> {
  for (;;) {
    const { resumes } = run.state;
    apply(run, { type: 'setWaiting', waiting: { for: on, until: undefined } });
    const outcome = await toOutcome(step);
    if (outcome.outcome === 'done') {
      hear(run, outcome.at);
      return outcome;
    }
    await stallUntilResumed(run, outcome.problem, resumes);
  }
}

/** Parks until an operator has resumed the run more often than `resumes`, its count when the trouble began. */
export async function stallUntilResumed(run: Run, problem: Problem, resumes: number): Promise<void> {
  if (run.state.resumes > resumes) return;
  apply(run, { type: 'stall', problem });
  publishStalled(run);
  await condition(() => run.state.resumes > resumes);
  publishStalled(run);
}

/** The plan; a step that needs it can't come before preflight. */
export function requirePlan({ state: { plan } }: Run): PoolPlan {
  if (plan === undefined) throw failWith({ code: 'Internal', message: 'there is no plan yet' });
  return plan;
}
