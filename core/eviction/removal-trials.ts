import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { needsRemoval, selectLabels } from './endpoint-removal.ts';

/** A pod whose removal from endpoints is tried with a dry run, on behalf of all pods of its ReplicaSet. */
interface RemovalTrial {
  readonly pod: PodFacts;
  readonly removeLabels: readonly string[];
  /** UIDs of the pods that it stands for. */
  readonly uids: readonly string[];
}

/** One pod of each ReplicaSet on these nodes that would be removed from endpoints before it is evicted. */
export function removalTrialsOn(
  nodes: readonly Pick<NodeRef, 'name'>[],
  { facts, policy }: { readonly facts: ClusterFacts; readonly policy: Policy },
): readonly RemovalTrial[] {
  const pods = nodes.flatMap(({ name }) => indexOf(facts).podsOn(name));
  const owned = pods.filter(({ ownerKind, ownerUid }) => ownerKind === 'ReplicaSet' && ownerUid !== undefined);
  return [...Map.groupBy(owned, ({ ownerUid }) => ownerUid).values()].flatMap((alike) => {
    const pod = alike.find((one) => !one.terminating && needsRemoval(one, facts, policy));
    if (pod === undefined) return [];
    return [{ pod, removeLabels: selectLabels(pod, facts), uids: alike.map(({ uid }) => uid) }];
  });
}
