import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import { approvedPart, findChanges, findOtherPlan, planOutdated } from '../core/plan/approved-plan.ts';
import { type PoolPlan, summarize } from '../core/plan/pool-plan.ts';
import { isInPlace, keepsTarget } from '../core/policy/members.ts';
import { divideIntoStages } from '../core/rollout/stages.ts';
import { leftOf, pendingOf, skippedOf } from '../core/run/nodes.ts';
import { mustRollBack } from '../core/run/rollback.ts';
import { explainKept } from '../core/run/skip.ts';
import { policyInCluster, policyOf } from '../core/run/state.ts';
import type { RunReport } from '../core/status/status.ts';
import type { PoolUpgradeInput } from './messages.ts';
import { awaitApproval, soak } from './run/approval.ts';
import { endTogether } from './run/end-together.ts';
import { finishRun } from './run/finish-run.ts';
import { beginRollback } from './run/handlers.ts';
import { startMonitor } from './run/monitor.ts';
import { openRun } from './run/open-run.ts';
import { awaitResumed } from './run/pause.ts';
import { surgePods } from './run/pod-surge.ts';
import { settlePool } from './run/remove-new-nodes.ts';
import { replaceInBatches } from './run/replace-in-batches.ts';
import { dropRollback, pushRollback } from './run/rollback.ts';
import { apply, nextStep, type Run, runUntilDone, setPhase } from './run/run.ts';
import { failWith, problemOf, steps, toOutcome } from './run/steps.ts';
import { addWave, awaitNewNodes, awaitRegistered, createNewNodes, growToFullSize } from './run/surge.ts';
import { unwind } from './run/unwind.ts';
import { awaitResumedInWindow, awaitTurn, awaitWindow, recordTimings } from './run/window.ts';

/**
 * Replaces every node of a pool, step by step as in the runbook: make a plan, lock the pool, create the new nodes, cordon the old ones,
 * replace them as the guard allows, delete the old pool. Each change is recorded before it is made; however the run ends, it rolls back
 * every recorded change that is not meant to stay.
 */
export async function poolUpgrade(input: PoolUpgradeInput): Promise<RunReport> {
  const run = openRun(input);
  try {
    await run.handles.forward.run(async () => {
      const plan = await planAndWait(run);
      await lockPool(run);
      await addNewNodes(run, plan);
      await cordonOld(run, plan);
      await replaceInStages(run, plan);
      do {
        await replaceJoined(run, plan);
        if (mustKeepOldPool(run)) return;
        await growToFullSize(run, plan);
      } while (!(await CancellationScope.nonCancellable(async () => await removeOldPool(run, plan))));
    });
  } catch (error) {
    return await CancellationScope.nonCancellable(async () => await rollBack(run, error));
  }
  return await CancellationScope.nonCancellable(async () => await finish(run));
}

/**
 * Observes, audits, plans. It changes nothing, so a failure ends the run instead of stalling it. Only the first plan of a run has to be exactly the one
 * that was approved.
 */
export async function preflight(run: Run): Promise<PoolPlan> {
  setPhase(run, 'preflight');
  const before = run.state.plan && policyOf(run.state, run.state.plan.policy).guard.acceptUnprotected;
  const { approved: _, ...input } = run.input;
  const policy = policyInCluster(run.state, run.input.policy);
  const question = before === undefined ? run.input : { ...input, policy, accepted: before };
  const observed = await toOutcome(() => steps('observe, audit, plan').preflight(question));
  if (observed.outcome === 'failed') throw failWith(observed.problem);
  const { plan, since = observed.at } = observed;
  apply(run, { type: 'recordPlan', plan, since, at: observed.at, clock: Date.now() });
  return plan;
}

/**
 * Plans, and waits for the approval of the start and for an upgrade window, if the policy asks for them, and while the run is paused. Nothing has been
 * changed yet. The cluster may have changed meanwhile, perhaps for days, so the run then plans anew.
 */
async function planAndWait(run: Run): Promise<PoolPlan> {
  let plan = await preflight(run);
  let isOutdated = run.input.policy.rollout?.approvals?.at.includes('start') === true;
  if (isOutdated) await awaitApproval(run, 'start');
  while ((await awaitTurn(run, plan, 'nodes')) || isOutdated) {
    plan = await planAnew(run, plan);
    isOutdated = false;
  }
  return plan;
}

/** Plans anew, and records what has changed. A run from an approved plan ends if it would upgrade something else. */
async function planAnew(run: Run, plan: PoolPlan): Promise<PoolPlan> {
  const fresh = await preflight(run);
  const [before, after] = [approvedPart(plan), approvedPart(fresh)];
  const others = run.input.approved === undefined ? [] : findOtherPlan(before, after);
  if (others.length > 0) throw failWith(planOutdated(others));
  const changes = findChanges(before, after);
  const { now: at } = run.state;
  const what = `since the run was planned: ${changes.join('; ')}`;
  if (changes.length > 0) apply(run, { type: 'recordExternalChanges', changes: [{ at, what }] });
  return fresh;
}

/** From here on no other run changes the pool. */
export async function lockPool(run: Run): Promise<void> {
  await awaitResumed(run);
  setPhase(run, 'lock');
  pushRollback(run, { kind: 'lock' });
  const input = { ...run.input, policy: policyInCluster(run.state, run.input.policy) };
  const locked = await toOutcome(() => steps('acquire the lock').acquireLock(input));
  if (locked.outcome === 'failed') {
    dropRollback(run, 'lock');
    throw failWith(locked.problem);
  }
  apply(run, { type: 'recordLock', lock: locked.lock });
  pushRollback(run, { kind: 'monitor' });
  await CancellationScope.nonCancellable(async () => {
    run.handles.monitor = startMonitor(run);
  });
}

/**
 * Creates the new nodes. While the instances of a new pool boot, the cloud is kept from scaling the old one by itself; nothing depends on that
 * before old nodes are cordoned. A pool that exists gets instances only once nothing can scale the old one, which may be the same.
 */
async function addNewNodes(run: Run, plan: PoolPlan): Promise<void> {
  await awaitResumedInWindow(run, plan, 'nodes');
  // It is restored after the new nodes have gone, whichever of the two began first.
  pushRollback(run, { kind: 'scaling', pool: plan.oldPool });
  if (keepsTarget(plan.policy)) {
    await suspendScaling(run, plan.oldPool);
    await createNewNodes(run, plan);
    return await awaitNewNodes(run, plan);
  }
  await createNewNodes(run, plan);
  // The boot takes longer: it is what the run is said to wait for.
  await endTogether([suspendScaling(run, plan.oldPool), awaitNewNodes(run, plan)]);
}

/** From here on the cloud does not scale the pool. */
export async function suspendScaling(run: Run, pool: PoolRef): Promise<void> {
  const { suspended } = await runUntilDone(run, `scaling of ${pool.name} to be suspended`, () =>
    steps(`suspend scaling of ${pool.name}`).suspendScaling({ ...nextStep(run), pool, role: 'old' }),
  );
  if (suspended !== undefined) apply(run, { type: 'recordSuspended', pool, suspended });
}

/** Keeps new pods off all old nodes, so that no pod moves twice. */
async function cordonOld(run: Run, plan: PoolPlan): Promise<void> {
  setPhase(run, 'cordon');
  await cordon(run, plan, plan.nodes);
}

/** Replaces the nodes in stages: canary nodes first, then zone after zone, if the policy says so. */
async function replaceInStages(run: Run, plan: PoolPlan): Promise<void> {
  for (const { nodes, approval, soakMs = 0 } of divideIntoStages(plan.nodes, plan.policy.rollout)) {
    if (approval !== undefined) await awaitApproval(run, approval);
    await replaceInWaves(run, plan, nodes);
    await soak(run, soakMs);
  }
}

/** Replaces the nodes in waves: adds new nodes (unless all were added at once), surges pods (if the policy says so), then replaces the old nodes. */
async function replaceInWaves(run: Run, plan: PoolPlan, nodes: readonly NodeRef[]): Promise<void> {
  const prepare = async (idle: readonly NodeRef[]) => {
    const next = await addWave(run, plan, idle);
    await awaitWindow(run, plan, 'pods');
    const pending = pendingOf(run.state, next);
    if (pending.length < next.length) return undefined;
    const batch = await surgePods(run, plan, pending);
    await awaitRegistered(run, plan);
    return batch;
  };
  await replaceInBatches(run, plan, nodes, { phase: 'replace', prepare });
}

/** Replaces nodes that joined the pool since the plan was made, because somebody scaled it or the cloud replaced an instance. */
async function replaceJoined(run: Run, plan: PoolPlan): Promise<void> {
  const pool = plan.oldPool;
  for (;;) {
    const { nodes, at } = await runUntilDone(run, `instances that joined ${pool.name}`, () =>
      steps(`find nodes that joined ${pool.name}`).findLateJoiners({ plan: summarize(plan) }),
    );
    const joined = leftOf(run.state, nodes);
    if (joined.length === 0) return;
    const changes = joined.map(({ name }) => ({
      at,
      what: `${name} joined ${pool.name} during the run; it is replaced too, ${plan.newPool.name} stays as large as planned`,
    }));
    apply(run, { type: 'recordExternalChanges', changes });
    await cordon(run, plan, joined);
    await replaceInWaves(run, plan, joined);
  }
}

/** Keeps new pods off these nodes, once the run is not paused. */
export async function cordon(run: Run, plan: PoolPlan, nodes: readonly NodeRef[]): Promise<void> {
  await awaitResumedInWindow(run, plan, 'pods');
  pushRollback(run, { kind: 'cordons', nodes });
  await runUntilDone(run, 'old nodes to be cordoned', () =>
    steps('cordon old nodes').cordonNodes({ ...nextStep(run), nodes }),
  );
}

/** Whether the old pool stays, because nodes were skipped. Then the run is about to end. */
function mustKeepOldPool(run: Run): boolean {
  if (skippedOf(run.state).length === 0) return false;
  // The last step may have ended together with an abort.
  if (run.handles.forward.consideredCancelled) throw new CancelledFailure('the run is not to be completed');
  setPhase(run, 'finalize');
  return true;
}

/** Deletes the empty pool, unless it is replaced in place. Returns false when another node has just joined: it is replaced first, and the run can be aborted again. */
async function removeOldPool(run: Run, plan: PoolPlan): Promise<boolean> {
  const { oldPool: pool } = plan;
  // The last step may have ended together with an abort or a rollback, which needs the old pool.
  if (run.handles.forward.consideredCancelled) throw new CancelledFailure('the run is not to be completed');
  setPhase(run, 'finalize');
  if (isInPlace(plan.policy)) {
    await settlePool(run, plan, { keep: true });
    return true;
  }
  const { joined } = await runUntilDone(run, `${pool.name} to be deleted`, () =>
    steps(`delete ${pool.name}`).deletePool({ ...nextStep(run), pool }),
  );
  if (joined) setPhase(run, 'replace');
  return !joined;
}

/** Keeps the new pool, and cleans up the rest. */
async function finish(run: Run): Promise<RunReport> {
  await recordTimings(run);
  if (skippedOf(run.state).length > 0) return await keepOldPool(run);
  dropRollback(run, 'cordons');
  dropRollback(run, 'new-pool');
  dropRollback(run, 'released');
  if (!isInPlace(run.input.policy)) dropRollback(run, 'scaling');
  return finishRun(run, 'completed', await unwind(run));
}

/**
 * Nodes were skipped: the old pool stays, with exactly these. It gets back what a partly aborted run gives it: pods are adopted, scaling is
 * restored, and the new nodes that nobody needs are removed, so that there are as many instances as before.
 */
async function keepOldPool(run: Run): Promise<RunReport> {
  const left = await unwind(run);
  apply(run, { type: 'recordRetained', what: explainKept(run.state) });
  return finishRun(run, 'completed', left);
}

/** After an abort, a rollback, a cancellation or a failure: nodes in progress end safely, then every change is rolled back, newest first. */
export async function rollBack(run: Run, error: unknown): Promise<RunReport> {
  const wanted = run.state.isRollingBack || isCancellation(error);
  if (!run.state.isRollingBack) beginRollback(run);
  setPhase(run, 'rolling-back');
  await Promise.all(Object.values(run.handles.nodes).map(async ({ ended }) => await ended));
  if (mustRollBack(run.state, 'cordons')) {
    await runUntilDone(run, 'nodes without a workflow to be restored', () =>
      steps('restore nodes without a workflow').restoreUntracked(nextStep(run)),
    );
  }
  const left = await unwind(run);
  const ending = run.state.status.rollback === undefined ? 'aborted' : 'rolled-back';
  return wanted ? finishRun(run, ending, left) : finishRun(run, 'failed', left, problemOf(error));
}
