import type { PoolRef, SuspensionToken } from '../../core/model/pool.ts';
import type { PoolPlan } from '../../core/plan/pool-plan.ts';
import { isInPlace, keepsTarget } from '../../core/policy/members.ts';
import { surgesPods } from '../../core/policy/policy.ts';
import { countReplaced, explainFound, joinedInstances, knownInstances } from '../../core/run/old-pool.ts';
import { adoptPods, evictReleased } from './adopt-pods.ts';
import { surgePodsBack } from './pod-surge.ts';
import { replaceNodes } from './replace-nodes.ts';
import { restoreOldPool } from './restore-old-pool.ts';
import { apply, nextStep, type Run, runUntilDone } from './run.ts';
import { steps } from './steps.ts';

/**
 * Removes the excess nodes of the new pool. In an abort, as many new nodes stay as old ones were replaced; in a rollback, the old pool first gets
 * its size again, and then all of them leave. An abort may become a rollback meanwhile: then it begins again.
 */
export async function rollBackNewPool(run: Run, plan: PoolPlan): Promise<void> {
  for (;;) {
    await restoreOldPool(run, plan);
    const isAbort = run.state.status.rollback === undefined;
    const isOver = () => isAbort && run.state.status.rollback !== undefined;
    await removeNewNodes(run, plan, isOver);
    // New nodes that were emptied had replacements of released pods: adopt these pods, and evict those that can't be adopted.
    if (surgesPods(run.input.policy) && !isOver()) {
      await adoptPods(run);
      await evictReleased(run);
    }
    if (isOver()) continue;
    apply(run, { type: 'recordRetained', what: explainFound(run.state, plan) });
    return;
  }
}

/**
 * Removes the excess nodes: each is replaced like any node, step by step under the guard, so that an abort loses as little as an upgrade. When no
 * new node stays, the new pool is deleted, unless it existed before the run. Returns early, with no node in progress, when `isOver` says that others
 * have to leave.
 */
async function removeNewNodes(run: Run, plan: PoolPlan, isOver: () => boolean): Promise<void> {
  const { newPool: pool } = plan;
  const isFound = keepsTarget(plan.policy);
  if (isFound && !mayHaveGrown(plan)) return;
  const { oldPool: state } = run.state;
  const missing = state === 'restored' ? 0 : countReplaced(run.state, plan);
  const back = { known: knownInstances(run.state) };
  const input = { pool, keep: missing, ...(state === 'requested' ? { back } : {}) };
  let keep = missing;
  const role = isInPlace(plan.policy) ? 'old' : 'new';
  const suspend = async () =>
    await runUntilDone(run, `scaling of ${pool.name} to be suspended`, () =>
      steps(`suspend scaling of ${pool.name}`).suspendScaling({ ...nextStep(run), pool, role }),
    );
  let held: Awaited<ReturnType<typeof suspend>> | undefined;
  if (isFound || (plan.surgeAtOnce !== undefined && keep > 0)) {
    held = await suspend();
    await runUntilDone(run, `${pool.name} to continue without missing instances`, () =>
      steps(`trim ${pool.name} to the instances that it has`).trimPool({ ...nextStep(run), pool }),
    );
  }
  do {
    for (;;) {
      const selected = await runUntilDone(run, `excess nodes of ${pool.name} to be selected`, () =>
        steps('select excess nodes').planScaleIn({ ...nextStep(run), ...input, joined: joinedInstances(run.state) }),
      );
      if (isOver()) return;
      const { excess } = selected;
      keep = selected.keep ?? keep;
      if (excess.length === 0) break;
      held ??= await suspend();
      apply(run, { type: 'trackNodes', nodes: excess });
      const next = await surgePodsBack(run, plan, excess);
      await replaceNodes(run, plan, next, 'back', isOver);
      if (isOver()) return;
    }
  } while (keep === 0 && !isFound && !(await removeNewPool(run, plan)));
  if (isFound) await restoreFound(run, plan);
  // The scaling of a pool that is replaced in place is restored when all else has been.
  if (isInPlace(plan.policy)) return;
  // A created pool that stays records the scaling that its owner chose, whether or not any of its nodes had to leave.
  if (isFound || keep > 0) await restoreScaling(run, pool, held?.suspended);
}

/** Whether the run may have requested instances of a pool that existed before. */
function mayHaveGrown({ foundSize = 0, surge }: PoolPlan): boolean {
  return foundSize < surge;
}

/** A pool that existed before the run is as it was. It may have had fewer instances than it wanted: it wants as many again. */
async function restoreFound(run: Run, plan: PoolPlan): Promise<void> {
  const { newPool: pool, oldSize, surge, foundSize } = plan;
  if (isInPlace(plan.policy)) await settlePool(run, plan, { keep: !run.state.isRollingBack });
  const size = foundSize ?? oldSize ?? surge;
  await runUntilDone(run, `${pool.name} to have its size again`, () =>
    steps(`restore ${pool.name} to ${size}`).restoreSize({ ...nextStep(run), pool, size }),
  );
}

/** Ends the changes of the run to a pool that it replaces in place. */
export async function settlePool(run: Run, { newPool: pool }: PoolPlan, { keep }: { keep: boolean }): Promise<void> {
  const label = keep ? `keep the settings of the new nodes of ${pool.name}` : `restore the settings of ${pool.name}`;
  await runUntilDone(run, `the settings of ${pool.name}`, () =>
    steps(label).settlePool({ ...nextStep(run), pool, keep }),
  );
}

/** Returns false when a node has just joined: it is removed like the others first. */
async function removeNewPool(run: Run, { newPool: pool }: PoolPlan): Promise<boolean> {
  const { joined } = await runUntilDone(run, `${pool.name} to be deleted`, () =>
    steps(`delete ${pool.name}`).deletePool({
      ...nextStep(run),
      pool,
      onlyIfCreatedBy: run.input.run,
      joined: joinedInstances(run.state),
    }),
  );
  return !joined;
}

/** Restores the scaling of a pool, except what would terminate an instance that serves. */
export async function restoreScaling(run: Run, pool: PoolRef, suspended?: SuspensionToken): Promise<void> {
  const { kept } = await runUntilDone(run, `scaling of ${pool.name} to be restored`, () =>
    steps(`restore scaling of ${pool.name}`).restoreScaling({
      ...nextStep(run),
      pool,
      ...(suspended && { suspended }),
    }),
  );
  apply(run, { type: 'recordRetained', what: kept });
}
