import type { PoolRef } from '../../core/model/pool.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { surgePodsBack } from './pod-surge.ts';
import { replaceNodes } from './replace-nodes.ts';
import { apply, nextStep, type Run, runUntilDone } from './run.ts';
import { steps } from './steps.ts';

/**
 * Gives back what an aborted run has too much: as many new nodes stay as old ones were replaced. The others leave like any node,
 * step by step under the guard, so that an abort loses as little as an upgrade. With none replaced the new pool goes as well.
 */
export async function removeNewNodes(run: Run, plan: PoolPlan): Promise<void> {
  const old = new Set(plan.nodes.map((node) => node.uid));
  const keep = run.state.status.nodes.filter((node) => old.has(node.node.uid) && node.step === 'replaced').length;
  const pool = plan.newPool;
  const hold = async () =>
    (
      await runUntilDone(run, `scaling of ${pool.name} to be suspended`, () =>
        steps(`suspend scaling of ${pool.name}`).suspendScaling({ ...nextStep(run), pool }),
      )
    ).suspended;
  let held: readonly string[] | undefined;
  if (plan.surgeAtOnce !== undefined && keep > 0) {
    held = await hold();
    await runUntilDone(run, `${pool.name} to continue without missing instances`, () =>
      steps(`trim ${pool.name} to the instances that it has`).trimPool({ ...nextStep(run), pool }),
    );
  }
  do {
    for (;;) {
      const { excess } = await runUntilDone(run, `surplus nodes of ${pool.name}`, () =>
        steps('choose surplus').planScaleIn({ ...nextStep(run), pool, keep }),
      );
      if (excess.length === 0) break;
      held ??= await hold();
      apply(run, { type: 'trackNodes', nodes: excess });
      const wave = await surgePodsBack(run, plan, excess);
      await replaceNodes(run, plan, wave, pool);
    }
  } while (keep === 0 && !(await removeNewPool(run, plan)));
  if (keep > 0 && held !== undefined) await restoreScaling(run, pool, held);
}

/** Answers false when a node has joined in the last moment: then it leaves like the others. */
async function removeNewPool(run: Run, { newPool: pool }: PoolPlan): Promise<boolean> {
  const { joined } = await runUntilDone(run, `${pool.name} to be deleted`, () =>
    steps(`delete ${pool.name}`).deletePool({ ...nextStep(run), pool, onlyIfCreatedBy: run.input.run }),
  );
  return !joined;
}

/** Lets the cloud go on with a pool, but for what would end a machine that serves. */
export async function restoreScaling(run: Run, pool: PoolRef, suspended: readonly string[]): Promise<void> {
  const { kept } = await runUntilDone(run, `${pool.name} to be released`, () =>
    steps(`release ${pool.name}`).restoreScaling({ ...nextStep(run), pool, suspended }),
  );
  apply(run, { type: 'recordRetained', what: kept });
}
