import type { NodeActions } from '../ports/cluster/node-actions.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';

type Actions = NodeActions & PodActions;

/** The cluster as an attempt may act on it: right before each action on a node or a pod it checks that the attempt still owns that. */
export function guardActions<C extends Actions>(cluster: C, { check }: { readonly check: () => Promise<void> }): C {
  async function checked<T>(act: () => Promise<T>): Promise<T> {
    await check();
    return await act();
  }
  return {
    ...cluster,
    cordon: (node, run) => checked(() => cluster.cordon(node, run)),
    uncordon: (node, run) => checked(() => cluster.uncordon(node, run)),
    exclude: (node, run) => checked(() => cluster.exclude(node, run)),
    include: (node, run) => checked(() => cluster.include(node, run)),
    removeOwnershipMarks: (node, run) => checked(() => cluster.removeOwnershipMarks(node, run)),
    release: (pod, from, run) => checked(() => cluster.release(pod, from, run)),
    adopt: (pod, run) => checked(() => cluster.adopt(pod, run)),
    raiseDeletionCost: (pod, run) => checked(() => cluster.raiseDeletionCost(pod, run)),
    restoreDeletionCost: (pod, run) => checked(() => cluster.restoreDeletionCost(pod, run)),
    wakeOwner: (pod, run) => checked(() => cluster.wakeOwner(pod, run)),
    deletePod: (pod) => checked(() => cluster.deletePod(pod)),
    evict: (pod, options) => checked(() => cluster.evict(pod, options)),
  };
}
