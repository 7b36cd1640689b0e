import { type PoolPlan, summarize } from '../../core/plan/pool-plan.ts';
import { countReplaced, knownInstances } from '../../core/run/old-pool.ts';
import { count } from '../../core/text/format.ts';
import { apply, nextStep, type Run, runUntilDone } from './run.ts';
import { runUnless } from './run-unless.ts';
import { steps } from './steps.ts';

/**
 * Gives the old pool its size again, if the run is rolled back to it, and waits until its new instances serve. Until then no new node leaves. When
 * it can't get them, the run stalls. A resume requests them once more; an abort ends that, and what the pool has got by then stays.
 */
export async function restoreOldPool(run: Run, plan: PoolPlan): Promise<void> {
  const { oldPool: pool } = plan;
  // An abort may become a rollback again while a step still ends because of it.
  while (run.state.status.rollback !== undefined && run.state.oldPool !== 'restored') {
    if (await growOldPool(run, plan)) return;
    await runUntilDone(run, `${pool.name} to continue without missing instances`, () =>
      steps(`trim ${pool.name} to the instances that it has`).trimPool({ ...nextStep(run), pool }),
    );
  }
}

/** Returns false when an abort has ended it. */
async function growOldPool(run: Run, plan: PoolPlan): Promise<boolean> {
  const { oldPool: pool, oldSize: size = plan.surge } = plan;
  const replaced = countReplaced(run.state, plan);
  const isMoot = () => run.state.status.rollback === undefined;
  const requestAndWait = async () => {
    apply(run, { type: 'requestOldNodes', instances: replaced });
    const requested = await steps(`restore ${pool.name} to ${size}`).restoreSize({ ...nextStep(run), pool, size });
    if (requested.outcome !== 'done') return requested;
    const question = { plan: summarize(plan), size, replaced, known: knownInstances(run.state) };
    return await steps(`new nodes of ${pool.name} ready`).awaitOldNodes(question);
  };
  const goal = `${count(replaced, 'new node')} of ${pool.name} to be ready`;
  const restored =
    replaced === 0 ? { nodes: [] } : await runUnless(isMoot, async () => await runUntilDone(run, goal, requestAndWait));
  // An abort that came together with the answer counts as well.
  if (restored === undefined || isMoot()) return false;
  apply(run, { type: 'restoreOldPool', nodes: restored.nodes });
  return true;
}
