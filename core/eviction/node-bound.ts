import type { PodFacts } from '../model/pod.ts';

/** Whether the pod belongs to its node and stays until the instance ends: static pods, and pods of DaemonSets that exist. */
export function isNodeBound({
  mirror,
  ownerKind,
  orphaned,
}: Pick<PodFacts, 'mirror' | 'ownerKind' | 'orphaned'>): boolean {
  return mirror || ownerKind === 'Node' || (ownerKind === 'DaemonSet' && orphaned !== true);
}
