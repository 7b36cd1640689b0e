import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import { explainDrained } from '../core/run/explain-drained.ts';
import { stepOf } from '../core/run/nodes.ts';
import type { RunReport } from '../core/status/status.ts';
import type { PoolUpgradeInput } from './messages.ts';
import { cordon, lockPool, preflight, rollBack, suspendScaling } from './pool-upgrade.ts';
import { finishRun } from './run/finish-run.ts';
import { openRun } from './run/open-run.ts';
import { surgePods } from './run/pod-surge.ts';
import { replaceInBatches } from './run/replace-in-batches.ts';
import { dropRollback, pushRollback } from './run/rollback.ts';
import { apply, nextStep, type Run, requirePlan, runUntilDone, setPhase } from './run/run.ts';
import { steps } from './run/steps.ts';
import { unwind } from './run/unwind.ts';

/**
 * Drains some nodes of a pool, step by step as in the runbook, without a pool that replaces them: make a plan, lock the pool, cordon the nodes, start
 * replacements of their pods on other nodes, then empty the nodes as the guard allows. In the end the nodes stay, cordoned, excluded and empty, or
 * their instances are terminated. A drain that is aborted restores its nodes.
 */
export async function nodeDrain(input: PoolUpgradeInput): Promise<RunReport> {
  const run = openRun(input);
  try {
    await run.handles.forward.run(async () => {
      const plan = await preflight(run);
      await lockPool(run);
      if (plan.policy.selection?.terminate === true) {
        pushRollback(run, { kind: 'scaling', pool: plan.oldPool });
        await suspendScaling(run, plan.oldPool);
      }
      setPhase(run, 'cordon');
      await cordon(run, plan, plan.nodes);
      const prepare = async (idle: readonly NodeRef[]) => await surgePods(run, plan, idle);
      await replaceInBatches(run, plan, plan.nodes, { phase: 'drain', prepare });
      // The last step may have ended together with an abort.
      if (run.handles.forward.consideredCancelled) throw new CancelledFailure('the drain is not to be completed');
      setPhase(run, 'finalize');
    });
  } catch (error) {
    return await CancellationScope.nonCancellable(async () => await rollBack(run, error));
  }
  return await CancellationScope.nonCancellable(async () => await finish(run, requirePlan(run)));
}

/** Leaves the drained nodes to the operator, and cleans up the rest. */
async function finish(run: Run, { nodes }: PoolPlan): Promise<RunReport> {
  const drained = nodes.filter((node) => stepOf(run.state, node) === 'drained');
  await runUntilDone(run, 'drained nodes to be left to the operator', () =>
    steps('keep drained nodes').keepDrained({ ...nextStep(run), nodes: drained }),
  );
  if (drained.length > 0) apply(run, { type: 'recordRetained', what: [explainDrained(drained)] });
  dropRollback(run, 'cordons');
  dropRollback(run, 'released');
  return finishRun(run, 'completed', await unwind(run));
}
