import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { ExcludeResult } from '../../activities/exclude-steps.ts';
import type { Exclusion } from '../../activities/exclusion.ts';
import type { Done } from '../../activities/polling.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { Problem } from '../../core/model/problem.ts';
import { maxCandidates } from '../../core/plan/limits.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import {
  hear,
  mayProceed,
  nextStep,
  publishDetails,
  type Run,
  recordExternalChanges,
  stallUntilResumed,
} from './run.ts';
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
  await condition(() => mayProceed(run));
  run.status.waiting = {
    for: `capacity to exclude ${waiting[0]?.name ?? 'a node'}`,
    since: run.now,
    until: undefined,
  };
  publishDetails(run);
  const { resumes, baselines } = run;
  const inFlight = Object.values(run.children).map((child) => child.node);
  const candidates = waiting.slice(0, maxCandidates);
  const excluded = Object.fromEntries(candidates.flatMap(({ name }) => countRounds(run, name)));
  const question = { ...nextStep(run), baselines, inFlight, excluded, waiting: candidates, unplaced };
  const asking = new CancellationScope();
  let answer: Done<ExcludeResult> | { outcome: 'failed'; problem: Problem } | undefined;
  run.isAsking = true;
  const requested = asking.run(async () => {
    answer = await toOutcome(() => waits('exclude nodes').excludeNext(question));
  });
  const quiet = requested.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  try {
    const isOutdated = () =>
      !mayProceed(run) || inFlight.some(({ name }) => run.children[name] === undefined && isWaiting(run, name));
    await condition(() => answer !== undefined || isOutdated());
    if (isOutdated()) asking.cancel();
    await quiet;
  } finally {
    run.isAsking = false;
  }
  if (answer === undefined) return [];
  run.status.waiting = undefined;
  if (answer.outcome === 'done') return takeOver(run, answer);
  await stallUntilResumed(run, answer.problem, resumes);
  return 'resumed';
}

function countRounds({ rounds }: Run, name: string): [string, number][] {
  const excluded = rounds[name];
  return excluded === undefined ? [] : [[name, excluded]];
}

/** The node is not on its way (any more). */
function isWaiting(run: Run, name: string): boolean {
  return run.status.nodes.some(({ node, step }) => node.name === name && step === 'pending');
}

function takeOver(run: Run, out: Done<ExcludeResult>): readonly Exclusion[] {
  hear(run, out.at);
  run.baselines = out.baselines ?? run.baselines;
  recordExternalChanges(run, out.externalChanges);
  return [out, ...(out.others ?? [])];
}
