import { condition } from '@temporalio/workflow';
import type { NodeRef } from '../../core/model/node.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { handsOver } from '../../core/policy/policy.ts';
import { count } from '../../core/text/format.ts';
import { record } from './ledger.ts';
import { attempt, changeNode, enter, mayStepOut, type Run } from './run.ts';
import { steps } from './steps.ts';

/**
 * Has the pods of the next nodes replaced before they leave. Answers the nodes that may go together: all that wait where nothing is
 * handed over.
 */
export async function handOver(
  run: Run,
  { policy }: PoolPlan,
  waiting: readonly NodeRef[],
): Promise<readonly NodeRef[]> {
  if (!handsOver(policy)) return waiting;
  enter(run, 'hand-over');
  await condition(() => mayStepOut(run));
  if (!run.ledger.some(({ kind }) => kind === 'released')) record(run, { kind: 'released' });
  const { wave, released, givenUp, at } = await attempt(
    run,
    `the pods of ${count(waiting.length, 'node')} to be handed over`,
    () => steps('hand pods over').handOver({ run: run.input.run, policy, waiting }),
  );
  run.notProtected.push(
    ...givenUp.map(
      ({ workload, reason }) => `${workload} was not handed over, but evicted within its budget: ${reason}`,
    ),
  );
  for (const { name } of wave) {
    const pods = released[name] ?? 0;
    if (pods === 0) continue;
    const detail = `${count(pods, 'pod')} released, replacements serve`;
    changeNode(run, name, { evidence: [{ kind: 'handed-over', at, detail }] });
  }
  return wave;
}
