import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { Done } from '../../activities/polling.ts';
import type { StepOut } from '../../activities/step-out-acts.ts';
import type { SteppedOut } from '../../activities/step-out-steps.ts';
import type { NodeRef } from '../../core/model/node.ts';
import type { Problem } from '../../core/model/problem.ts';
import { candidatesAtMost } from '../../core/plan/limits.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { hear, mayStepOut, needAttention, nextStep, type Run, show, tellForeignActs } from './run.ts';
import { settle, waits } from './steps.ts';

/**
 * Has the next nodes step out, while nothing speaks against it: whoever pauses the run, finds that it needs attention, or comes back to
 * wait for another turn, stops the step before it has acted, or is told of the nodes that have gone. Empty when none has;
 * `resumed` when none could, and an operator who was called has had it tried again.
 */
export async function letNextStepOut(
  run: Run,
  { unplaced = {} }: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly StepOut[] | 'resumed'> {
  await condition(() => mayStepOut(run));
  run.status.waiting = {
    on: `capacity to let ${waiting[0]?.name ?? 'a node'} step out`,
    since: run.now,
    until: undefined,
  };
  show(run);
  const { resumes, baselines } = run;
  const inFlight = Object.values(run.children).map((child) => child.node);
  const candidates = waiting.slice(0, candidatesAtMost);
  const turns = Object.fromEntries(candidates.flatMap(({ name }) => countTurns(run, name)));
  const question = { ...nextStep(run), baselines, inFlight, turns, waiting: candidates, unplaced };
  const asking = new CancellationScope();
  let answer: Done<SteppedOut> | { outcome: 'deadline'; problem: Problem } | undefined;
  run.isAsking = true;
  const asked = asking.run(async () => {
    answer = await settle(() => waits('let a node step out').letNextStepOut(question));
  });
  const quiet = asked.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  try {
    const isOutdated = () =>
      !mayStepOut(run) || inFlight.some(({ name }) => run.children[name] === undefined && isWaiting(run, name));
    await condition(() => answer !== undefined || isOutdated());
    if (isOutdated()) asking.cancel();
    await quiet;
  } finally {
    run.isAsking = false;
  }
  if (answer === undefined) return [];
  run.status.waiting = undefined;
  if (answer.outcome === 'done') return takeOver(run, answer);
  await needAttention(run, answer.problem, resumes);
  return 'resumed';
}

function countTurns({ rounds }: Run, name: string): [string, number][] {
  const turns = rounds[name];
  return turns === undefined ? [] : [[name, turns]];
}

/** The node is not on its way (any more). */
function isWaiting(run: Run, name: string): boolean {
  return run.status.nodes.some(({ node, step }) => node.name === name && step === 'waiting');
}

function takeOver(run: Run, out: Done<SteppedOut>): readonly StepOut[] {
  hear(run, out.at);
  run.baselines = out.baselines ?? run.baselines;
  tellForeignActs(run, out.foreignActs);
  return [out, ...(out.alongside ?? [])];
}
