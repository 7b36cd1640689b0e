import { type PoolPlan, summarize } from '../../core/plan/pool-plan.ts';
import { countReplaced, knownInstances } from '../../core/run/old-pool.ts';
import { count, listNames } from '../../core/text/format.ts';
import { maxReplacements } from '../../core/waits/unjoined.ts';
import { apply, nextStep, type Run, runUntilDone } from './run.ts';
import { runUnless } from './run-unless.ts';
import { steps } from './steps.ts';

/**
 * Gives the old pool its size again, if the run is rolled back to it, and waits until its new instances serve. Until then no new node leaves. When
 * it can't get them, the run stalls. A resume requests them once more; an abort ends that, and the nodes that the pool has got by then stay.
 */
export async function restoreOldPool(run: Run, plan: PoolPlan): Promise<void> {
  const { oldPool: pool } = plan;
  // An abort may become a rollback again while a step still ends because of it.
  while (run.state.status.rollback !== undefined && run.state.oldPool !== 'restored') {
    if (await growOldPool(run, plan)) return;
    await runUntilDone(run, `instances of ${pool.name} that are not nodes to end`, () => endUnjoined(run, plan));
    await runUntilDone(run, `${pool.name} to continue without missing instances`, () =>
      steps(`trim ${pool.name} to the instances that it has`).trimPool({ ...nextStep(run), pool }),
    );
  }
}

/** Returns false when an abort has ended it. */
async function growOldPool(run: Run, plan: PoolPlan): Promise<boolean> {
  const { oldPool: pool } = plan;
  const replaced = countReplaced(run.state, plan);
  const isMoot = () => run.state.status.rollback === undefined;
  const goal = `${count(replaced, 'new node')} of ${pool.name} to be ready`;
  const restored =
    replaced === 0
      ? { nodes: [] }
      : await runUnless(isMoot, async () => await runUntilDone(run, goal, openRequest(run, plan, replaced)));
  // An abort that came together with the answer counts as well.
  if (restored === undefined || isMoot()) return false;
  apply(run, { type: 'restoreOldPool', nodes: restored.nodes });
  return true;
}

/**
 * Returns a step that requests so many instances and waits until they serve. Those that have not become nodes at the deadline are replaced, a few times
 * by itself, then at each resume.
 */
function openRequest(run: Run, plan: PoolPlan, replaced: number) {
  const { oldPool: pool, oldSize: size = plan.surge, zones } = plan;
  const request = { pool, size, ...(zones && { zones }) };
  let isOverdue = false;
  const requestAndWait = async () => {
    isOverdue = false;
    apply(run, { type: 'requestOldNodes', instances: replaced });
    const requested = await steps(`restore ${pool.name} to ${size}`).restoreSize({ ...nextStep(run), ...request });
    if (requested.outcome !== 'done') return requested;
    const question = { plan: summarize(plan), size, replaced, known: knownInstances(run.state) };
    const answer = await steps(`new nodes of ${pool.name} ready`).awaitOldNodes(question);
    isOverdue = answer.outcome === 'failed' && answer.problem.code === 'DeadlineExceeded';
    return answer;
  };
  return async () => {
    if (isOverdue) await endOverdue(run, plan);
    let answer = await requestAndWait();
    for (let times = 0; isOverdue && times < maxReplacements && (await endOverdue(run, plan)); times += 1)
      answer = await requestAndWait();
    return answer;
  };
}

/** Terminates what the old pool got and did not become a node in time. Returns false when there is nothing: something else is late. */
async function endOverdue(run: Run, plan: PoolPlan): Promise<boolean> {
  const answer = await endUnjoined(run, plan);
  if (answer.outcome !== 'done' || answer.ended.length === 0) return false;
  const { ended, at } = answer;
  const what = `${listNames(ended)} of ${plan.oldPool.name} did not join the cluster in time; the run requests ${ended.length === 1 ? 'another one' : 'others'}`;
  apply(run, { type: 'recordExternalChanges', changes: [{ at, what }] });
  return true;
}

async function endUnjoined(run: Run, { oldPool: pool, oldSize, surge }: PoolPlan) {
  const question = { pool, size: oldSize ?? surge, known: knownInstances(run.state) };
  return await steps(`end instances of ${pool.name} that are not nodes`).endUnjoined({ ...nextStep(run), ...question });
}
