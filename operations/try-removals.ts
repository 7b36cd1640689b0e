import { explainDeniedRemoval } from '../core/eviction/actions.ts';
import { removalTrialsOn } from '../core/eviction/removal-trials.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';
import { severalAtATime } from './several-at-a-time.ts';

/**
 * The observation with what admission says against removing pods on these nodes from endpoints: one dry run for each ReplicaSet, because its pods
 * are made from one template. Changes nothing.
 */
export async function tryRemovals(
  cluster: Pick<PodActions, 'tryRemoveEndpoints'>,
  nodes: readonly Pick<NodeRef, 'name'>[],
  { facts, policy }: { readonly facts: ClusterFacts; readonly policy: Policy },
): Promise<ClusterFacts> {
  const denied: Record<string, string> = {};
  await severalAtATime(removalTrialsOn(nodes, { facts, policy }), async ({ pod, removeLabels, uids }) => {
    const denial = await cluster.tryRemoveEndpoints(pod, removeLabels);
    if (denial !== undefined) for (const uid of uids) denied[uid] = explainDeniedRemoval(denial);
  });
  return Object.keys(denied).length === 0 ? facts : { ...facts, deniedRemovals: denied };
}
