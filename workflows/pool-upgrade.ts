import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { NodeRef } from '../core/model/node.ts';
import { inBrief, type PoolPlan } from '../core/plan/pool-plan.ts';
import { notProtected } from '../core/plan/refusal.ts';
import type { RunReport } from '../core/status/status.ts';
import type { PoolUpgradeInput } from './messages.ts';
import { conclude } from './run/conclude.ts';
import { handOver } from './run/hand-over.ts';
import { turnAround } from './run/handlers.ts';
import { putBackAll } from './run/ledger.ts';
import { openRun } from './run/open-run.ts';
import { record, settled } from './run/record.ts';
import { addNodes, idleOf, leftOf, replaceNodes, replaceOthers } from './run/replace-nodes.ts';
import { attempt, enter, nextStep, type Run, tellForeignActs } from './run/run.ts';
import { failWith, problemOf, settle, steps } from './run/steps.ts';
import { completeSurge, makeRoom, registered, surge } from './run/surge.ts';
import { startWatch } from './run/watch.ts';

/**
 * Replaces every node of a pool. Reads like the runbook: look and plan, lock, bring up the new nodes, cordon the old ones, let them
 * go as the guard grants, remove the old pool. Whatever is changed is on the ledger before; every ending puts the ledger back.
 */
export async function poolUpgrade(input: PoolUpgradeInput): Promise<RunReport> {
  const run = openRun(input);
  try {
    await run.forward.run(async () => {
      const plan = await preflight(run);
      await lockPool(run, plan);
      await surge(run, plan);
      await cordonOld(run, plan);
      await replaceInWaves(run, plan, plan.nodes);
      do {
        await replaceJoined(run, plan);
        await completeSurge(run, plan);
      } while (!(await CancellationScope.nonCancellable(async () => await removeOldPool(run, plan))));
    });
  } catch (error) {
    return await CancellationScope.nonCancellable(async () => await turnBack(run, error));
  }
  return await CancellationScope.nonCancellable(async () => await finish(run));
}

/** Looks, audits, plans. Touches nothing, so it fails instead of asking for attention. */
async function preflight(run: Run): Promise<PoolPlan> {
  enter(run, 'preflight');
  const looked = await settle(() => steps('look, audit, plan').preflight(run.input));
  if (looked.outcome === 'deadline') throw failWith(looked.problem);
  const { plan, since = looked.at } = looked;
  run.plan = plan;
  run.baselines = plan.baselines;
  run.now = looked.at;
  run.heardAt = Date.now();
  run.notProtected = [...notProtected(plan.findings)];
  run.status.startedAt = since;
  run.status.fromVersion = plan.fromVersion;
  run.status.toVersion = plan.toVersion;
  addNodes(run, plan.nodes);
  return plan;
}

/** From here on nobody else works on the pool, and the cloud doesn't either. */
async function lockPool(run: Run, plan: PoolPlan): Promise<void> {
  enter(run, 'lock');
  record(run, { kind: 'lock' });
  const taken = await settle(() => steps('take the lock').acquireLock(run.input));
  if (taken.outcome === 'deadline') {
    settled(run, 'lock');
    throw failWith(taken.problem);
  }
  run.lock = taken.lock;
  record(run, { kind: 'watch' });
  await CancellationScope.nonCancellable(async () => {
    run.watch = startWatch(run);
  });
  const pool = plan.oldPool;
  const hold = record(run, { kind: 'rebalancing', pool, suspended: [] as readonly string[] });
  const held = await attempt(run, `${pool.name} to be held`, () =>
    steps(`hold ${pool.name}`).holdRebalancing({ ...nextStep(run), pool }),
  );
  hold.suspended = held.suspended;
}

/** Keeps new pods off all old nodes, so that none moves twice. */
async function cordonOld(run: Run, plan: PoolPlan): Promise<void> {
  enter(run, 'cordon-old');
  await cordon(run, plan.nodes);
}

/**
 * Wave by wave: new nodes come up where they don't all come at once, pods are handed over where that is wanted, then their nodes go. Nodes that
 * the guard has held until somebody was called and resumed have their pods handed over anew: what could not be may be mended. Those that an
 * operator is asked about are waited for last.
 */
async function replaceInWaves(run: Run, plan: PoolPlan, nodes: readonly NodeRef[]): Promise<void> {
  addNodes(run, nodes);
  for (let left = nodes; left.length > 0; left = leftOf(run, left)) {
    const idle = idleOf(run, left);
    if (idle.length === 0) {
      await replaceNodes(run, plan, left, plan.oldPool);
      continue;
    }
    const wave = await handOver(run, plan, await makeRoom(run, plan, idle));
    await registered(run, plan);
    if (run.status.phase !== 'replace') enter(run, 'replace');
    await replaceOthers(run, plan, wave, plan.oldPool);
    if (idleOf(run, leftOf(run, wave)).length > 0) run.givenUp = [];
  }
}

/** A list of nodes is not the pool: what joined it meanwhile (somebody scaled it, the cloud replaced a machine) is replaced too. */
async function replaceJoined(run: Run, plan: PoolPlan): Promise<void> {
  const pool = plan.oldPool;
  for (;;) {
    const { nodes, at } = await attempt(run, `machines that joined ${pool.name}`, () =>
      steps(`see whether nodes joined ${pool.name}`).findJoined({ plan: inBrief(plan) }),
    );
    if (nodes.length === 0) return;
    tellForeignActs(
      run,
      nodes.map(({ name }) => ({
        at,
        what: `${name} joined ${pool.name} during the run; it is replaced too, ${plan.newPool.name} stays as large as planned`,
      })),
    );
    await cordon(run, nodes);
    await replaceInWaves(run, plan, nodes);
  }
}

async function cordon(run: Run, nodes: readonly NodeRef[]): Promise<void> {
  record(run, { kind: 'cordons', nodes });
  await attempt(run, 'old nodes to be cordoned', () =>
    steps('cordon old nodes').cordonNodes({ ...nextStep(run), nodes }),
  );
}

/** Every node is replaced. Answers false when another has joined in the last moment: then it has its turn, and an abort its sense again. */
async function removeOldPool(run: Run, { oldPool: pool }: PoolPlan): Promise<boolean> {
  enter(run, 'finalize');
  const { joined } = await attempt(run, `${pool.name} to be deleted`, () =>
    steps(`delete ${pool.name}`).removePool({ ...nextStep(run), pool }),
  );
  if (joined) enter(run, 'replace');
  return !joined;
}

/** What was built stays, what was held is let go. */
async function finish(run: Run): Promise<RunReport> {
  settled(run, 'cordons');
  settled(run, 'new-pool');
  settled(run, 'released');
  settled(run, 'rebalancing');
  return conclude(run, 'completed', await putBackAll(run));
}

/** Abort, cancellation or a failure: nodes on their way end safely, then everything is put back, newest first. */
async function turnBack(run: Run, error: unknown): Promise<RunReport> {
  const wanted = run.aborting || isCancellation(error);
  if (!run.aborting) turnAround(run);
  enter(run, 'putting-back');
  await Promise.all(Object.values(run.children).map(async (child) => await child.ended));
  if (run.ledger.some(({ kind }) => kind === 'cordons')) {
    await attempt(run, 'nodes without a workflow of their own to come back in', () =>
      steps('take back in').includeStrays(nextStep(run)),
    );
  }
  const left = await putBackAll(run);
  return wanted ? conclude(run, 'aborted', left) : conclude(run, 'failed', left, problemOf(error));
}
