import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { ExcludeResult } from '../../activities/exclude-steps.ts';
import type { Exclusion } from '../../activities/exclusion.ts';
import type { Done } from '../../activities/polling.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { Problem } from '../../core/model/problem.ts';
import { maxCandidates } from '../../core/plan/limits.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { idleOf, stepOf } from '../../core/run/nodes.ts';
import { mayProceed } from '../../core/run/stalled.ts';
import type { RunState } from '../../core/run/state.ts';
import { apply, hear, nextStep, type Run, stallUntilResumed } from './run.ts';
import { toOutcome, waits } from './steps.ts';

/**
 * Has the next nodes step out, while nothing speaks against it: whoever pauses the run, finds that it needs attention, or comes back to
 * wait for another turn, stops the step before it has acted, or is told of the nodes that have gone. Empty when none has;
 * `resumed` when none could, and an operator who was called has had it tried again.
 */
export async function excludeNext(
  run: Run,
  { unplaced = {} }: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly Exclusion[] | 'resumed'> {
  await condition(() => mayProceed(run.state));
  const on = `capacity to exclude ${waiting[0]?.name ?? 'a node'}`;
  apply(run, { type: 'setWaiting', waiting: { for: on, until: undefined } });
  const { resumes, baselines, inProgress, rounds } = run.state;
  const inFlight = Object.values(inProgress);
  const candidates = waiting.slice(0, maxCandidates);
  const excluded = Object.fromEntries(candidates.flatMap(({ name }) => countRounds(rounds, name)));
  const question = { ...nextStep(run), baselines, inFlight, excluded, waiting: candidates, unplaced };
  const asking = new CancellationScope();
  let answer: Done<ExcludeResult> | { outcome: 'failed'; problem: Problem } | undefined;
  run.handles.isExcluding = true;
  const requested = asking.run(async () => {
    answer = await toOutcome(() => waits('exclude nodes').excludeNext(question));
  });
  const quiet = requested.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  try {
    const isOutdated = () =>
      !mayProceed(run.state) || idleOf(run.state, inFlight).some((node) => stepOf(run.state, node) === 'pending');
    await condition(() => answer !== undefined || isOutdated());
    if (isOutdated()) asking.cancel();
    await quiet;
  } finally {
    run.handles.isExcluding = false;
  }
  if (answer === undefined) return [];
  apply(run, { type: 'setWaiting', waiting: undefined });
  if (answer.outcome === 'done') return takeOver(run, answer);
  await stallUntilResumed(run, answer.problem, resumes);
  return 'resumed';
}

function countRounds(rounds: RunState['rounds'], name: string): [string, number][] {
  const excluded = rounds[name];
  return excluded === undefined ? [] : [[name, excluded]];
}

function takeOver(run: Run, out: Done<ExcludeResult>): readonly Exclusion[] {
  hear(run, out.at);
  if (out.baselines !== undefined) apply(run, { type: 'recordBaselines', baselines: out.baselines });
  apply(run, { type: 'recordExternalChanges', changes: out.externalChanges });
  return [out, ...(out.others ?? [])];
}
