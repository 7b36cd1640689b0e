import type { NodeFacts } from '../core/model/node.ts';
import type { PoolFacts, PoolRef } from '../core/model/pool.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import { acceptedServices, giveReasons, withUnprotected } from '../core/plan/acceptance.ts';
import { buildPlanInSlices } from '../core/plan/build-plan.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import { isInPlace, oldNodes, withFound } from '../core/policy/members.ts';
import { type Policy, poolRefOf, surgesPods } from '../core/policy/policy.ts';
import { doAtOnce, type Slices } from '../core/slices.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { ProviderPools } from '../ports/provider.ts';
import { type Asked, askBeforePodSurge, type TryRelease } from './ask-before-pod-surge.ts';
import type { Observer } from './observer.ts';
import { type TryRemoval, tryRemovals } from './try-removals.ts';

/** What is asked of the cluster for a plan. */
export interface PlanCluster {
  readonly cluster: Pick<ClusterObserver & Locks, 'findIncomingPools' | 'readVolumeClaims'> & {
    readonly tryRemoveEndpoints: TryRemoval;
  };
  readonly observer: Pick<Observer, 'observeFresh'>;
  readonly tryRelease: TryRelease;
}

/** What observeAndPlan reads from, and how it works. */
interface PlanSources {
  readonly pools: Pick<ProviderPools, 'describePool' | 'findPool' | 'traitsOf' | 'capabilitiesOf'>;
  /** Connects to the cluster; may fail as an observation may. */
  readonly open: () => PlanCluster;
  /** How the pool and the cluster are read: by default side by side, to the end of both, and what fails on the pool is told first. */
  readonly readBoth?: ReadBoth;
  /** How long calculations are done: by default without a break. */
  readonly inSlices?: <T>(work: Slices<T>) => Promise<T>;
}

/** What is to be planned, and for which run. */
interface PlanQuestion {
  readonly policy: Policy;
  readonly run: string;
  /** Services that may lose connections as an earlier plan of the run has said: whoever accepted a rule has accepted those, and no others. */
  readonly accepted?: readonly string[];
}

/** Makes two reads, in any order. */
type ReadBoth = <A, B>(one: () => Promise<A>, other: () => Promise<B>) => Promise<readonly [A, B]>;

/** Everything that a plan was made from. */
interface Observation extends Partial<Asked> {
  /** The old pool. */
  readonly pool: PoolFacts;
  /** The pool that exists already under the new pool's name. */
  readonly newPool?: PoolFacts;
  readonly facts: ServingFacts;
}

/**
 * Observes a pool and everything that serves on it afresh, and plans its replacement. This is the only way to a plan, so that a run's
 * preflight, the `plan` command and the demo find the same. Changes nothing.
 * @throws NodeferryError PoolNotFound, Forbidden, ClusterUnreachable, …
 */
export async function observeAndPlan(
  sources: PlanSources,
  { policy, run, accepted }: PlanQuestion,
): Promise<{ readonly plan: PoolPlan; readonly observation: Observation }> {
  const { pools, open, readBoth = readSideBySide, inSlices = async (work) => doAtOnce(work) } = sources;
  const ref = poolRefOf(policy);
  const [{ found: described, newPool }, { facts, asked }] = await readBoth(
    async () => {
      if (!pools.traitsOf(ref).hasPools) return {};
      const found = await pools.describePool(ref);
      if (policy.selection !== undefined || isInPlace(policy)) return { found };
      const newPool = await pools.findPool({ ...ref, name: policy.target.poolName });
      const subnets = await readSubnets(pools, newPool?.ref ?? ref);
      return {
        found: { ...found, ...subnets, ...(await readAttached(pools, ref)) },
        newPool: newPool && { ...newPool, ...(await readAttached(pools, newPool.ref)) },
      };
    },
    async () => await observeCluster(open(), policy),
  );
  const pool = described ?? poolOf(oldNodes(facts.cluster, policy), ref);
  const observation: Observation = { pool, ...(newPool === undefined ? {} : { newPool }), facts, ...asked };
  const known = withFound(policy, facts.cluster);
  const provider = pools.traitsOf(ref);
  const planFor = async (chosen: Policy) =>
    await inSlices(buildPlanInSlices({ policy: chosen, run, provider, ...observation }));
  const strict = await planFor(withUnprotected(known, accepted ?? []));
  const services = accepted === undefined ? acceptedServices(strict.findings, policy) : [];
  const plan = services.length === 0 ? strict : await planFor(withUnprotected(known, services));
  return { plan: { ...plan, findings: giveReasons(plan.findings, policy) }, observation };
}

/** The subnets for new instances. A caller who may not read them gets a plan all the same, which says so. */
async function readSubnets(
  pools: PlanSources['pools'],
  ref: PoolRef,
): Promise<Pick<PoolFacts, 'subnets' | 'subnetsUnread'>> {
  const { value, unread } = await tryToRead(async () => await pools.capabilitiesOf(ref).findSubnets?.(ref));
  return { ...(value && { subnets: value }), ...(unread !== undefined && { subnetsUnread: unread }) };
}

/** What the pool is attached to, where that is not among its facts. A caller who may not read it gets a plan all the same, which says so. */
async function readAttached(
  pools: PlanSources['pools'],
  ref: PoolRef,
): Promise<Pick<PoolFacts, 'attached' | 'attachedUnread'>> {
  const { value, unread } = await tryToRead(async () => await pools.capabilitiesOf(ref).findAttached?.(ref));
  return { ...(value && { attached: value }), ...(unread !== undefined && { attachedUnread: unread }) };
}

async function tryToRead<T>(read: () => Promise<T>): Promise<{ readonly value?: T; readonly unread?: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof NodeferryError)) throw error;
    return { unread: error.problem.message };
  }
}

/** What the nodes alone say about a pool that no cloud is asked for. */
function poolOf(own: readonly NodeFacts[], ref: PoolRef): PoolFacts {
  const size = own.length;
  return {
    ref,
    status: 'active',
    version: [...new Set(own.map(({ kubeletVersion }) => kubeletVersion))].toSorted()[0] ?? '',
    desiredSize: size,
    minSize: 0,
    maxSize: size,
    zones: [...new Set(own.map(({ zone }) => zone))].toSorted(),
    labels: {},
    instances: [],
    problems: [],
  };
}

async function observeCluster({ cluster, observer, tryRelease }: PlanCluster, policy: Policy) {
  // Read first: a pool that is recorded later has no nodes yet.
  const incomingPools = await cluster.findIncomingPools();
  const seen = await observer.observeFresh(policy);
  const old = oldNodes(seen.cluster, policy);
  const tried = await tryRemovals(cluster, old, { facts: seen.cluster, policy });
  const facts: ServingFacts = { ...seen, cluster: tried, incomingPools };
  if (!surgesPods(policy)) return { facts };
  const { untried, ...asked } = await askBeforePodSurge({ cluster, tryRelease }, old, { facts: tried, policy });
  return { facts: untried === undefined ? facts : { ...facts, cluster: { ...tried, untried } }, asked };
}

/** Nothing is read any more when this has failed. */
const readSideBySide: ReadBoth = async (one, other) => {
  const reads = [one(), other()] as const;
  await Promise.allSettled(reads);
  return await Promise.all(reads);
};
