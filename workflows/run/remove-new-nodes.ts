import type { PoolRef } from '../../core/model/pool.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { surgePodsBack } from './pod-surge.ts';
import { replaceNodes } from './replace-nodes.ts';
import { apply, nextStep, type Run, runUntilDone } from './run.ts';
import { steps } from './steps.ts';

/**
 * Removes the excess nodes of an aborted run: as many new nodes stay as old ones were replaced. The others are replaced like any node,
 * step by step under the guard, so that an abort loses as little as an upgrade. When no old node was replaced, the new pool is deleted.
 */
export async function removeNewNodes(run: Run, plan: PoolPlan): Promise<void> {
  const old = new Set(plan.nodes.map((node) => node.uid));
  const keep = run.state.status.nodes.filter((node) => old.has(node.node.uid) && node.step === 'replaced').length;
  const pool = plan.newPool;
  const suspend = async () =>
    (
      await runUntilDone(run, `scaling of ${pool.name} to be suspended`, () =>
        steps(`suspend scaling of ${pool.name}`).suspendScaling({ ...nextStep(run), pool }),
      )
    ).suspended;
  let suspended: readonly string[] | undefined;
  if (plan.surgeAtOnce !== undefined && keep > 0) {
    suspended = await suspend();
    await runUntilDone(run, `${pool.name} to continue without missing instances`, () =>
      steps(`trim ${pool.name} to the instances that it has`).trimPool({ ...nextStep(run), pool }),
    );
  }
  do {
    for (;;) {
      const { excess } = await runUntilDone(run, `excess nodes of ${pool.name} to be selected`, () =>
        steps('select excess nodes').planScaleIn({ ...nextStep(run), pool, keep }),
      );
      if (excess.length === 0) break;
      suspended ??= await suspend();
      apply(run, { type: 'trackNodes', nodes: excess });
      const next = await surgePodsBack(run, plan, excess);
      await replaceNodes(run, plan, next, pool);
    }
  } while (keep === 0 && !(await removeNewPool(run, plan)));
  if (keep > 0 && suspended !== undefined) await restoreScaling(run, pool, suspended);
}

/** Returns false when a node has just joined: it is removed like the others first. */
async function removeNewPool(run: Run, { newPool: pool }: PoolPlan): Promise<boolean> {
  const { joined } = await runUntilDone(run, `${pool.name} to be deleted`, () =>
    steps(`delete ${pool.name}`).deletePool({ ...nextStep(run), pool, onlyIfCreatedBy: run.input.run }),
  );
  return !joined;
}

/** Restores the scaling of a pool, except what would terminate an instance that serves. */
export async function restoreScaling(run: Run, pool: PoolRef, suspended: readonly string[]): Promise<void> {
  const { kept } = await runUntilDone(run, `scaling of ${pool.name} to be restored`, () =>
    steps(`restore scaling of ${pool.name}`).restoreScaling({ ...nextStep(run), pool, suspended }),
  );
  apply(run, { type: 'recordRetained', what: kept });
}
