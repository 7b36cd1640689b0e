import { claimLockName, type PoolLock, poolLockName } from '../core/model/pool-lock.ts';
import { isRetryable, NodeferryError } from '../core/model/problem.ts';
import { isInPlace } from '../core/policy/members.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { poolLockOf } from './fence.ts';
import { withLocks } from './momentary-locks.ts';

/** How long the lock on a pool lasts after its last renewal, ms. */
export const poolLeaseMs = 60_000;

/** A run that needs its pool, and perhaps one that exists besides. */
interface LockRequest {
  readonly policy: Policy;
  readonly run: string;
}

type LockPorts = Pick<Ports<Locks>, 'clock' | 'cluster'>;

/**
 * Acquires the lock on the pool of a policy for a run, or keeps it. The lock also claims the pool that the run moves to. Two preflights may both have
 * found that pool free, so a run that adopts it records its claim first and then asks for the claims of others: of two runs that do both, one is refused.
 * @throws NodeferryError LockHeld when another run has one of the pools; then this run has neither
 */
export async function takePoolLock(ports: LockPorts, request: LockRequest): Promise<PoolLock> {
  const { policy, run } = request;
  if (policy.selection !== undefined) return await acquire(ports, request);
  if (policy.adoptTarget !== true) return await acquireUnlessTaken(ports, request);
  const answer = await withLocks<PoolLock | NodeferryError>(ports, {
    run,
    names: [claimLockName(policy.cluster.name, policy.target.poolName)],
    // Within, a lock that somebody has counts as momentary; that on a pool does not end by itself.
    body: async () => await acquireUnlessTaken(ports, request).catch(refusalIn),
    whenBusy: ({ problem }) => new NodeferryError({ ...problem, code: 'Conflict' }),
  });
  if (answer instanceof NodeferryError) throw answer;
  return answer;
}

/** An error that says that another run has the pool; others are thrown on. */
function refusalIn(error: unknown): NodeferryError {
  if (error instanceof NodeferryError && error.problem.code === 'LockHeld') return error;
  throw error;
}

/** The lock that lasts as long as the run. */
async function acquire({ cluster }: LockPorts, { policy, run }: LockRequest): Promise<PoolLock> {
  // Old nodes of a pool that is replaced in place have its name too, and other runs must count them.
  const creates = policy.selection === undefined && !isInPlace(policy);
  const incoming = creates ? policy.target.poolName : undefined;
  return await cluster.acquireLock(poolLockOf(policy), run, poolLeaseMs, incoming);
}

async function acquireUnlessTaken(ports: LockPorts, request: LockRequest): Promise<PoolLock> {
  const lock = await acquire(ports, request);
  try {
    const why = await whyTaken(ports, request);
    if (why === undefined) return lock;
    throw new NodeferryError({
      code: 'LockHeld',
      message: why,
      hint: 'Let that run finish, or abort it. If it is gone, remove what it left: nodeferry cleanup CLUSTER/POOL --yes',
    });
  } catch (error) {
    // Only where nobody asks again: another attempt, with the same holder and token, may have acquired it by now.
    if (error instanceof NodeferryError && !isRetryable(error)) await ports.cluster.releaseLock(lock);
    throw error;
  }
}

/** Why this run may not have its pools, although it has its lock; undefined when it may. Two runs on one pool would undo each other's changes. */
async function whyTaken({ cluster }: LockPorts, { policy, run }: LockRequest): Promise<string | undefined> {
  const { pool, target } = policy;
  const moving = async (name: string) => (await cluster.findRunsMovingTo(name)).find((other) => other !== run);
  const intoOld = await moving(pool.name);
  if (intoOld !== undefined) return `run ${intoOld} moves nodes to pool ${pool.name}, which this run replaces`;
  if (policy.adoptTarget !== true) return undefined;
  const intoTarget = await moving(target.poolName);
  if (intoTarget !== undefined)
    return `run ${intoTarget} moves nodes to pool ${target.poolName}, which this run adopts`;
  const holder = await cluster.findHolder(poolLockName(policy.cluster.name, target.poolName));
  if (holder === undefined || holder === run) return undefined;
  return `run ${holder} holds the lock on pool ${target.poolName}, which this run adopts`;
}
