/** Takes away what runs that are over have left: looks, plans, acts, looks again. */

import { findElsewhere, findRuns } from '../core/cleanup/find-runs.ts';
import { type CleanupAct, type CleanupPlan, explainCleanupAct, planCleanup } from '../core/cleanup/plan-cleanup.ts';
import { poolLockName } from '../core/model/pool-lock.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { NodePools } from '../ports/node-pools.ts';

/** Long enough for one act after another, ms; it is renewed before each. */
const lockedMs = 60_000;

/** ReplicaSets react within moments; after so many looks, a second apart, they won't. */
const maxObservations = 30;
const pollIntervalMs = 1_000;

/** Acts that only come up when controllers have reacted to others. */
const followUps: readonly CleanupAct['kind'][] = ['raiseDeletionCost', 'adopt', 'restoreDeletionCost'];

/** What a sweep works on. */
export interface CleanupTarget {
  readonly cluster: string;
  readonly region: string;
  readonly pool: string;
  /** Runs to sweep after; every run that left something on the pool when it is undefined. */
  readonly runs: readonly string[] | undefined;
}

/** The systems that runs leave something on. */
export interface Swept {
  readonly cluster: Cluster;
  readonly pools: NodePools;
  readonly clock: Clock;
}

/** How an act ended: `problem` says why it did not take effect. */
export interface SweptAct {
  readonly what: string;
  readonly problem?: string;
}

/** Looks at what is left. Changes nothing. */
export async function findLeftoversOf({ cluster, pools }: Swept, target: CleanupTarget): Promise<CleanupPlan> {
  const ref = { cluster: target.cluster, region: target.region, name: target.pool };
  const [facts, pool, replacements, holder] = await Promise.all([
    cluster.observe(),
    pools.findPool(ref),
    pools.findReplacements(ref),
    cluster.findHolder(poolLockName(target.cluster, target.pool)),
  ]);
  const found = { cluster: facts, name: target.pool, replacements, holder };
  const asked = target.runs ?? findRuns(found);
  const held = await Promise.all(asked.map(async (run) => ({ run, locks: await cluster.findLocks(run) })));
  const observed = held.map(({ run, locks }) => {
    const elsewhere = findElsewhere(run, { ...found, locks: locks.map(({ name }) => name) });
    return { run, locks, elsewhere };
  });
  const mine = observed.filter(({ elsewhere }) => elsewhere === undefined);
  return planCleanup({
    ...found,
    pool,
    runs: mine.map(({ run }) => run),
    locking: mine.flatMap(({ run, locks }) => (locks.length > 0 ? [run] : [])),
    elsewhere: observed.flatMap(({ elsewhere }) => elsewhere ?? []),
  });
}

/**
 * Takes away what is left, under the lock on the pool: a run that is alive holds that, and is never swept after.
 * @throws LockHeld while a run is at work
 */
export async function cleanUp(
  swept: Swept,
  target: CleanupTarget,
  holder: string,
  report: (act: SweptAct) => void,
): Promise<CleanupPlan> {
  const { cluster, clock } = swept;
  const { runs, acts, leftAlone } = await findLeftoversOf(swept, target);
  const lock = await cluster.acquireLock(poolLockName(target.cluster, target.pool), holder, lockedMs);
  const carryOutAll = async (due: readonly CleanupAct[]) => {
    for (const act of due) {
      await cluster.renewLock(lock, lockedMs);
      const problem = await carryOut(act, swept);
      report({ what: explainCleanupAct(act), ...(problem === undefined ? {} : { problem }) });
    }
  };
  try {
    await carryOutAll(acts);
    for (let observations = 0; observations < maxObservations; observations += 1) {
      const plan = await findLeftoversOf(swept, { ...target, runs });
      const due = plan.acts.filter(({ kind }) => followUps.includes(kind));
      if (due.length === 0 && !plan.settling) break;
      await carryOutAll(due);
      await clock.sleep(pollIntervalMs);
    }
  } finally {
    await cluster.releaseLock(lock);
  }
  return { ...(await findLeftoversOf(swept, { ...target, runs })), leftAlone };
}

/** Answers why the act did not take effect; undefined when it did. */
async function carryOut(act: CleanupAct, { cluster, pools }: Swept): Promise<string | undefined> {
  switch (act.kind) {
    case 'restore-endpoints':
    case 'raiseDeletionCost':
    case 'adopt':
    case 'restoreDeletionCost':
    case 'delete':
    case 'evict': {
      const result = await executePodAction(cluster, act, act.run);
      return result.outcome === 'blocked' || result.outcome === 'impossible' ? result.reason : undefined;
    }
    case 'untaint':
      await cluster.untaintDisrupted(act.node, act.run);
      return undefined;
    case 'include':
      await cluster.include(act.node, act.run);
      return undefined;
    case 'uncordon':
      await cluster.uncordon(act.node, act.run);
      return undefined;
    case 'unfence':
      await cluster.unfenceNode(act.node, act.run);
      return undefined;
    case 'release': {
      const kept = await pools.restoreScaling(act.pool, act.held);
      return kept.length === 0 ? undefined : kept.join('; ');
    }
    case 'delete-pool':
      await pools.deletePool(act.pool, { onlyIfCreatedBy: act.run });
      return undefined;
    case 'unlock':
      for (const lock of await cluster.findLocks(act.run)) await cluster.releaseLock(lock);
      return undefined;
  }
}
