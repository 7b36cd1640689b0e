/** Name of the lock on a pool; its holder is the run. */
export function poolLockName(cluster: string, pool: string): string {
  return `nodeferry-${cluster}-${pool}`;
}

/** Held by whoever lets a node go or takes one back in, for the moment between its look and its act; one for all runs of a cluster. */
export const exclusionLock = 'nodeferry-exclude';

/** Whether a lock of that name is on a pool, and not for the moment of one act. */
export function isPoolLock(name: string): boolean {
  return name.startsWith('nodeferry-') && name !== exclusionLock;
}
