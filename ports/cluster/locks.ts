import type { PoolLock } from '../../core/model/pool-lock.ts';

/** Locks that all workers of the cluster share. Every call may be repeated. Throws NodeferryError. */
export interface Locks {
  /**
   * Acquires or keeps the lock, and records on it the pool that its holder creates. @throws NodeferryError LockHeld when another live holder has it
   */
  acquireLock(name: string, holder: string, durationMs: number, incomingPool?: string): Promise<PoolLock>;
  /** @throws NodeferryError LockLost when another holder has acquired it since */
  renewLock(lock: PoolLock, durationMs: number): Promise<void>;
  releaseLock(lock: PoolLock): Promise<void>;
  /** Locks that this run holds, under its own name or that of one of its steps, including expired ones. */
  findLocks(run: string): Promise<readonly PoolLock[]>;
  /** Names of the pools that are recorded on locks, expired or not: their runs are in progress, or nobody has cleaned up after them. */
  findIncomingPools(): Promise<readonly string[]>;
  /** Holders of the locks on which this pool is recorded, expired or not. They are the runs that move to it. */
  findRunsMovingTo(pool: string): Promise<readonly string[]>;
  /** Who holds the lock of that name, expired or not; undefined when nobody does. */
  findHolder(name: string): Promise<string | undefined>;
}
