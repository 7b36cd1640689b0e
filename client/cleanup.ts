/** Removes what terminated runs have left over: observes, plans, acts, and observes again. */

import { findElsewhere, findRuns } from '../core/cleanup/find-runs.ts';
import {
  type CleanupAction,
  type CleanupPlan,
  explainCleanupAction,
  planCleanup,
  podsThatLeave,
} from '../core/cleanup/plan-cleanup.ts';
import { balancedServicesOf, type TargetsAsked } from '../core/cleanup/removed-pods.ts';
import type { NodeFacts } from '../core/model/node.ts';
import type { PoolFacts, PoolRef } from '../core/model/pool.ts';
import { poolLockName } from '../core/model/pool-lock.ts';
import { NodeferryError, type Problem } from '../core/model/problem.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import { hasPods } from '../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../core/model/unsupported-service.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import { requireCapability } from '../operations/pools-by-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { NodeActions } from '../ports/cluster/node-actions.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';
import type { LoadBalancers } from '../ports/load-balancers.ts';
import type { ProviderPools } from '../ports/provider.ts';

/** How long the lock lasts, ms. It is renewed before each action, and must last for one of them. */
const lockedMs = 60_000;

/** ReplicaSets react within moments. After this many observations, a second apart, they will not. */
const maxObservations = 30;
const pollIntervalMs = 1_000;

/** Actions that become due only when controllers have reacted to others. */
const followUps: readonly CleanupAction['kind'][] = ['raiseDeletionCost', 'adopt', 'restoreDeletionCost'];

/** Actions on pods that have waited until nothing sent to them any more. Each is tried once. */
const departures: readonly CleanupAction['kind'][] = ['restore-endpoints', 'evict', 'delete'];

/** Load balancers are asked this often, ms, while pods drain. */
const drainIntervalMs = 5_000;

/** A kube-proxy hears of a pod that has just left its EndpointSlices within this time, ms: more than `spec.waits.endpointPropagation` unless set. */
const propagationMs = 5_000;

/** What a cleanup is for. */
export interface CleanupTarget {
  readonly cluster: string;
  readonly region: string;
  /** Name of the provider of its pools. */
  readonly provider: string;
  /** What else the provider needs to find the cluster. */
  readonly locator?: Readonly<Record<string, string>>;
  readonly pool: string;
  /** Runs to clean up after. If undefined, every run that left something on the pool. */
  readonly runs: readonly string[] | undefined;
  /** Pods leave although load balancers that may send to them can't be asked. */
  readonly acceptsUnasked?: boolean;
}

/** The systems on which runs leave something. */
interface CleanupSystems {
  readonly cluster: ClusterObserver & NodeActions & PodActions & Fencing & Locks;
  readonly pools: ProviderPools;
  /** The load balancers of a cluster with these nodes, or why there are none to be asked. Absent for who only counts leftovers: none is asked then. */
  readonly openBalancers?: (nodes: readonly NodeFacts[]) => LoadBalancers | Problem;
  readonly clock: Clock;
}

/** How an action ended: `problem` says why it had no effect. */
interface CleanupResult {
  readonly what: string;
  readonly problem?: string;
}

/** Observes what is left over. Changes nothing. */
export async function findLeftoversOf(
  { cluster, pools, openBalancers }: CleanupSystems,
  target: CleanupTarget,
): Promise<CleanupPlan> {
  const { cluster: name, region, provider, locator, pool: poolName } = target;
  const ref = { cluster: name, region, provider, name: poolName, ...(locator && { locator }) };
  const [facts, { pool, orphaned }, replacements, holder] = await Promise.all([
    cluster.observe(),
    findPool(pools, ref),
    pools.capabilitiesOf(ref).replacement?.findReplacements(ref) ?? [],
    cluster.findHolder(poolLockName(target.cluster, target.pool)),
  ]);
  const found = { cluster: facts, name: target.pool, replacements, holder };
  const asked = target.runs ?? findRuns(found);
  const withLocks = await Promise.all(asked.map(async (run) => ({ run, locks: await cluster.findLocks(run) })));
  const observed = withLocks.map(({ run, locks }) => {
    const elsewhere = findElsewhere(run, { ...found, locks: locks.map(({ name }) => name) });
    return { run, locks, elsewhere };
  });
  const mine = observed.filter(({ elsewhere }) => elsewhere === undefined);
  const runs = mine.map(({ run }) => run);
  const asking = await askTargets(openBalancers, facts, runs);
  const movingTo = await findMoving(cluster, [...(pool === undefined ? [] : [pool]), ...replacements]);
  return planCleanup({
    ...found,
    cluster: asking.cluster,
    asked: { unread: asking.unread, isAccepted: target.acceptsUnasked === true },
    pool,
    ...(orphaned && { orphaned: { pool: ref, suspended: orphaned } }),
    runs,
    movingTo,
    locking: mine.flatMap(({ run, locks }) => (locks.length > 0 ? [run] : [])),
    elsewhere: observed.flatMap(({ elsewhere }) => elsewhere ?? []),
  });
}

/** The runs that move nodes to these pools, by name of the pool; of those where something is suspended, which the runs may need. */
async function findMoving(
  cluster: Pick<Locks, 'findRunsMovingTo'>,
  pools: readonly PoolFacts[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const names = pools.flatMap(({ ref, suspended }) => (suspended === undefined ? [] : ref.name));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await cluster.findRunsMovingTo(name)] as const)),
  );
}

/** The pool; what is still suspended for it where it is gone. */
async function findPool(pools: ProviderPools, ref: PoolRef) {
  const pool = await pools.findPool(ref);
  if (pool !== undefined) return { pool };
  return { pool, orphaned: await pools.capabilitiesOf(ref).scaling?.findOrphaned?.(ref) };
}

/** The cluster with the target groups that the pods which leave may be in. Asks nothing where none of their Services has a load balancer. */
async function askTargets(
  openBalancers: CleanupSystems['openBalancers'],
  cluster: ClusterFacts,
  runs: readonly string[],
): Promise<{ readonly cluster: ClusterFacts; readonly unread: TargetsAsked['unread'] }> {
  const services = [...new Set(podsThatLeave(cluster, runs).flatMap((pod) => balancedServicesOf(pod, cluster)))];
  if (services.length === 0) return { cluster, unread: undefined };
  const unreadAll = (why: string) => ({ cluster, unread: { why, services: new Set(services.map(({ key }) => key)) } });
  if (openBalancers === undefined) return unreadAll('not asked');
  const loadBalancers = openBalancers(cluster.nodes);
  if ('code' in loadBalancers) return unreadAll(loadBalancers.message);
  try {
    const providerIds = cluster.nodes.flatMap(({ providerId }) => providerId ?? []);
    const { groups, unsupported } = await loadBalancers.discover(services, { anew: true, providerIds });
    const podTargets = await loadBalancers.readTargets(groups.filter(hasPods));
    return { cluster: { ...cluster, podTargets }, unread: findUnread(unsupported) };
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    return unreadAll(error.problem.message);
  }
}

function findUnread(unsupported: readonly UnsupportedServiceFacts[]): TargetsAsked['unread'] {
  if (unsupported.length === 0) return undefined;
  const why = unsupported.map(({ service, detail }) => `${service}: ${detail}`).join('; ');
  return { why, services: new Set(unsupported.map(({ service }) => service)) };
}

/**
 * Removes what is left over, under the lock on the pool: a run that is under way holds that lock, so nothing is removed from it.
 * @throws LockHeld while a run is at work
 */
export async function cleanUp(
  systems: CleanupSystems,
  target: CleanupTarget,
  holder: string,
  report: (action: CleanupResult) => void,
): Promise<CleanupPlan> {
  const { cluster, clock } = systems;
  const { runs, actions, leftAlone } = await findLeftoversOf(systems, target);
  const lock = await cluster.acquireLock(poolLockName(target.cluster, target.pool), holder, lockedMs);
  const tried = new Set<string>();
  const executeAll = async (due: readonly CleanupAction[]) => {
    for (const action of due) {
      tried.add(explainCleanupAction(action));
      await cluster.renewLock(lock, lockedMs);
      const problem = await execute(action, systems);
      report({ what: explainCleanupAction(action), ...(problem === undefined ? {} : { problem }) });
    }
  };
  try {
    await executeAll(actions);
    for (let observations = 0; observations < maxObservations; observations += 1) {
      await cluster.renewLock(lock, lockedMs);
      const plan = await findLeftoversOf(systems, { ...target, runs });
      const leaving = plan.actions.filter(
        (action) => departures.includes(action.kind) && !tried.has(explainCleanupAction(action)),
      );
      const due = [...leaving, ...plan.actions.filter(({ kind }) => followUps.includes(kind))];
      if (due.length === 0 && !plan.settling && !plan.draining) break;
      if (leaving.length > 0) await clock.sleep(propagationMs);
      await executeAll(due);
      await clock.sleep(due.length === 0 && !plan.settling ? drainIntervalMs : pollIntervalMs);
    }
  } finally {
    await cluster.releaseLock(lock);
  }
  return { ...(await findLeftoversOf(systems, { ...target, runs })), leftAlone };
}

/** Returns why the action had no effect; undefined when it had. */
async function execute(action: CleanupAction, { cluster, pools }: CleanupSystems): Promise<string | undefined> {
  switch (action.kind) {
    case 'restore-endpoints':
    case 'raiseDeletionCost':
    case 'adopt':
    case 'restoreDeletionCost':
    case 'delete':
    case 'evict': {
      const result = await executePodAction(cluster, action, action.run);
      return result.outcome === 'blocked' || result.outcome === 'impossible' ? result.reason : undefined;
    }
    case 'untaint':
      await cluster.untaintDisrupted(action.node, action.run);
      return undefined;
    case 'restore-node':
      await cluster.include(action.node, action.run);
      return undefined;
    case 'uncordon':
      await cluster.uncordon(action.node, action.run);
      return undefined;
    case 'unfence':
      await cluster.unfenceNode(action.node, action.run);
      return undefined;
    case 'restore-scaling': {
      const kept = await pools.capabilitiesOf(action.pool).scaling?.restore(action.pool, action.suspended.token);
      return kept === undefined || kept.length === 0 ? undefined : kept.join('; ');
    }
    case 'delete-pool':
      await requireCapability(pools, action.pool, 'replacement').deletePool(action.pool, {
        onlyIfCreatedBy: action.run,
      });
      return undefined;
    case 'unlock':
      for (const lock of await cluster.findLocks(action.run)) await cluster.releaseLock(lock);
      return undefined;
  }
}
