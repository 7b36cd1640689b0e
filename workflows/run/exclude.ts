import { condition } from '@temporalio/workflow';
import type { ExcludeResult } from '../../activities/exclude-steps.ts';
import type { ExcludeInput, Exclusion } from '../../activities/exclusion.ts';
import type { Done } from '../../activities/polling.ts';
import type { NodeRef } from '../../core/model/node.ts';
import { maxCandidates } from '../../core/plan/limits.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { acceptedDuring } from '../../core/run/accepted-services.ts';
import { idleOf, leftOf, pendingOf, stepOf } from '../../core/run/nodes.ts';
import { cordonedOf } from '../../core/run/skip.ts';
import { mayProceed } from '../../core/run/stalled.ts';
import type { RunState } from '../../core/run/state.ts';
import type { NodeStep } from '../../core/steps/node-steps.ts';
import { isAtRest, stepOf as specOf, stateOfStep } from '../../core/steps/steps.ts';
import { apply, nextStep, type Run, recordTime, stallUntilResumed } from './run.ts';
import { runUnless } from './run-unless.ts';
import { toOutcome, waits } from './steps.ts';
import { windowQuestion } from './window.ts';

/**
 * Excludes the next of these nodes. When the run is paused or stalls meanwhile, another concurrency is set, a Service is accepted, an abort becomes a rollback, a node is
 * skipped, or a node has been in progress and is neither that nor gone (restored and pending again, or drained), the step is cancelled before it
 * acts; if it has already acted, the excluded nodes are returned all the same. Empty when none was excluded; `window-closed` when no upgrade window
 * is open for long enough; `resumed` when none could be excluded, the run stalled, and an operator has resumed it. The stall also ends when one of
 * them is skipped.
 */
export async function excludeNext(
  run: Run,
  plan: PoolPlan,
  nodes: readonly NodeRef[],
): Promise<readonly Exclusion[] | 'resumed' | 'window-closed'> {
  const { unplaced = {} } = plan;
  await condition(() => mayProceed(run.state) || cordonedOf(run.state).length > 0);
  const waiting = pendingOf(run.state, nodes);
  if (waiting.length === 0 || !mayProceed(run.state)) return [];
  const goal = `capacity to exclude ${waiting[0]?.name ?? 'a node'}`;
  apply(run, { type: 'setWaiting', waiting: { for: goal, until: undefined } });
  const { resumes, baselines, inProgress, rounds, status } = run.state;
  const inFlight = Object.values(inProgress);
  const accepted = acceptedDuring(status);
  const candidates = waiting.slice(0, maxCandidates);
  const roundsBefore = Object.fromEntries(candidates.flatMap(({ name }) => countRounds(rounds, name)));
  const window = windowQuestion(run, plan, 'batch');
  const question: ExcludeInput = {
    ...nextStep(run),
    baselines,
    inFlight,
    rounds: roundsBefore,
    waiting: candidates,
    unplaced,
    ...(window === undefined ? {} : { window }),
  };
  const isOutdated = () =>
    !mayProceed(run.state) ||
    cordonedOf(run.state).length > 0 ||
    run.state.status.maxInFlight !== status.maxInFlight ||
    acceptedDuring(run.state.status).length !== accepted.length ||
    run.state.status.rollback !== status.rollback ||
    idleOf(run.state, inFlight).some((node) => isStillThere(stepOf(run.state, node)));
  run.handles.hasPausableStep = true;
  let answer: Awaited<ReturnType<typeof ask>> | undefined;
  try {
    answer = await runUnless(isOutdated, async () => await ask(question));
  } finally {
    run.handles.hasPausableStep = false;
  }
  if (answer === undefined) return [];
  apply(run, { type: 'setWaiting', waiting: undefined });
  if (answer.outcome === 'done') {
    if (!('windowClosed' in answer)) return recordExcluded(run, answer);
    recordTime(run, answer.at);
    return 'window-closed';
  }
  await stallUntilResumed(run, answer.problem, resumes, () => leftOf(run.state, candidates).length < candidates.length);
  return run.state.resumes > resumes ? 'resumed' : [];
}

async function ask(question: ExcludeInput) {
  return await toOutcome(() => waits('exclude nodes').excludeNext(question));
}

function countRounds(rounds: RunState['rounds'], name: string): [string, number][] {
  const before = rounds[name];
  return before === undefined ? [] : [[name, before]];
}

function recordExcluded(run: Run, result: Done<ExcludeResult>): readonly Exclusion[] {
  recordTime(run, result.at);
  if (result.baselines !== undefined) apply(run, { type: 'recordBaselines', baselines: result.baselines });
  apply(run, { type: 'recordExternalChanges', changes: result.externalChanges });
  return [result, ...(result.others ?? [])];
}

/** The step sees by itself that a node is gone. One that stays would count as in progress for as long as the step lasts. */
function isStillThere(step: NodeStep | undefined): boolean {
  return step !== undefined && isAtRest(stateOfStep(step)) && specOf(step).reversible;
}
