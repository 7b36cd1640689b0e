/** Name of the lock on a pool; its holder is the run. */
export function poolLockName(cluster: string, pool: string): string {
  return `nodeferry-${cluster}-${pool}`;
}
