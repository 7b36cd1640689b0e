import { condition } from '@temporalio/workflow';
import type { PoolStepInput } from '../../activities/fence.ts';
import type { HandOverInput } from '../../activities/hand-over-steps.ts';
import type { NodeRef } from '../../core/model/node.ts';
import { mostToHandOver } from '../../core/plan/limits.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { handsOver } from '../../core/policy/policy.ts';
import { count } from '../../core/text/format.ts';
import { record } from './record.ts';
import { attempt, changeNode, enter, mayStepOut, nextStep, type Run, tellNotProtected } from './run.ts';
import { steps } from './steps.ts';

/**
 * Has the pods of the next nodes replaced before they leave. Answers the nodes that may go together: all that wait where nothing is
 * handed over.
 */
export async function handOver(
  run: Run,
  { policy, unplaced = {} }: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly NodeRef[]> {
  if (!handsOver(policy)) return waiting;
  enter(run, 'hand-over');
  await condition(() => mayStepOut(run));
  if (!run.ledger.some(({ kind }) => kind === 'released')) record(run, { kind: 'released' });
  const named = waiting.slice(0, mostToHandOver(policy));
  return await replacePods(run, { waiting: named, unplaced });
}

/** The same for new nodes that an aborted run gives back: what their pods stood in for comes back before they leave. */
export async function handBack(
  run: Run,
  { policy, newPool, unplaced = {} }: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly NodeRef[]> {
  if (!handsOver(policy)) return waiting;
  const named = waiting.slice(0, mostToHandOver(policy));
  return await replacePods(run, { waiting: named, unplaced, turnedBackFrom: newPool.name });
}

async function replacePods(run: Run, input: Omit<HandOverInput, keyof PoolStepInput>): Promise<readonly NodeRef[]> {
  const isForward = input.turnedBackFrom === undefined;
  const lost = isForward ? run.givenUp : [];
  const known = { ...input, baselines: run.baselines, ...(lost.length === 0 ? {} : { givenUp: lost }) };
  const { wave, released, givenUp, aside, at } = await attempt(
    run,
    `the pods of ${count(input.waiting.length, 'node')} to be handed over`,
    () => steps('hand pods over').handOver({ ...nextStep(run), ...known }),
  );
  if (isForward) run.givenUp = [...lost, ...givenUp.map(({ workload }) => workload)];
  tellNotProtected(run, [
    ...givenUp.map(
      ({ workload, reason }) => `${workload} was not handed over, but evicted within its budget: ${reason}`,
    ),
    ...Object.values(aside ?? {}),
  ]);
  for (const { name } of wave) {
    const pods = released[name] ?? 0;
    if (pods === 0) continue;
    const detail = `${count(pods, 'pod')} released, replacements serve`;
    changeNode(run, name, { evidence: [{ kind: 'handed-over', at, detail }] });
  }
  return wave;
}
