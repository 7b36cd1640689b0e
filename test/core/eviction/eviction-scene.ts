import { decideEvictionRound, type EvictionQuestion } from '../../../core/eviction/eviction-round.ts';
import { aCluster, aNode, aPod, aPolicy, nodeRefOf } from '../support/facts.ts';
import type { ClusterFacts, PodFacts } from '../support/model.ts';

/** The node whose pods are evicted. */
const node = nodeRefOf(aNode('n1'));
/** Pods of the same workload on another node. */
export const elsewhere = [aPod('web-2', 'n2'), aPod('web-3', 'n3')];

/** Decides one round on the pods of the node. */
export function decide(cluster: Partial<ClusterFacts>, changes: Partial<EvictionQuestion> = {}) {
  return decideEvictionRound({
    node,
    facts: aCluster(cluster),
    policy: aPolicy(),
    run: 'run',
    now: 100_000,
    removedAt: {},
    unreadySince: {},
    drainedAt: {},
    ...changes,
  });
}

/** A pod on the node, with the others of its workload. */
export function web(changes: Partial<PodFacts> = {}): readonly PodFacts[] {
  return [aPod('web-1', 'n1', changes), ...elsewhere];
}

/** What a round does, as `kind pod`. */
export function kinds(round: ReturnType<typeof decide>): readonly string[] {
  return round.actions.map((action) => `${action.kind} ${action.pod.name}`);
}
