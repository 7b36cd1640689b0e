/** The lock on a pool, kept as a Lease; `token` increases with every new holder and fences off earlier ones. */
export interface PoolLock {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
}

/** Name of the lock on a pool. Its holder is the run. */
export function poolLockName(cluster: string, pool: string): string {
  return `nodeferry-${cluster}-${pool}`;
}

/**
 * Name of the lock for excluding and restoring nodes. It is held from the observation until the change. All runs in a cluster share it.
 */
export const exclusionLock = 'nodeferry-exclude';

/** Name of the lock that a run holds while it claims a pool that exists, from its own lock until it knows that no other run has that pool. */
export function claimLockName(cluster: string, pool: string): string {
  return `claim-${cluster}-${pool}`;
}

/** Whether a lock of that name is on a pool, and so lasts as long as a run. */
export function isPoolLock(name: string): boolean {
  return name.startsWith('nodeferry-') && name !== exclusionLock;
}
