import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { NodeActions } from '../../ports/cluster/node-actions.ts';
import type { PodActions } from '../../ports/cluster/pod-actions.ts';

/** The actions of a cluster, each with a check right before it: nothing happens in a simulated one between the two. */
export function guardEach(cluster: Cluster, check: () => Promise<void>): NodeActions & PodActions {
  const checked = async <T>(act: () => Promise<T>): Promise<T> => {
    await check();
    return await act();
  };
  return {
    cordon: (node, run) => checked(() => cluster.cordon(node, run)),
    uncordon: (node, run) => checked(() => cluster.uncordon(node, run)),
    exclude: (node, run) => checked(() => cluster.exclude(node, run)),
    include: (node, run) => checked(() => cluster.include(node, run)),
    removeOwnershipMarks: (node, run) => checked(() => cluster.removeOwnershipMarks(node, run)),
    taintDisrupted: (node, run) => checked(() => cluster.taintDisrupted(node, run)),
    untaintDisrupted: (node, run) => checked(() => cluster.untaintDisrupted(node, run)),
    deleteNode: (node) => checked(() => cluster.deleteNode(node)),
    removeEndpoints: (pod, labels, run) => checked(() => cluster.removeEndpoints(pod, labels, run)),
    tryRemoveEndpoints: (pod, labels) => cluster.tryRemoveEndpoints(pod, labels),
    restoreEndpoints: (pod, run) => checked(() => cluster.restoreEndpoints(pod, run)),
    release: (pod, from, run) => checked(() => cluster.release(pod, from, run)),
    tryRelease: (pod, from) => cluster.tryRelease(pod, from),
    adopt: (pod, run) => checked(() => cluster.adopt(pod, run)),
    raiseDeletionCost: (pod, run) => checked(() => cluster.raiseDeletionCost(pod, run)),
    restoreDeletionCost: (pod, run) => checked(() => cluster.restoreDeletionCost(pod, run)),
    wakeOwner: (pod, run) => checked(() => cluster.wakeOwner(pod, run)),
    evict: (pod, options) =>
      options.dryRun ? cluster.evict(pod, options) : checked(() => cluster.evict(pod, options)),
    deletePod: (pod) => checked(() => cluster.deletePod(pod)),
  };
}
