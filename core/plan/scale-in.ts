import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { InstanceFacts } from '../model/pool.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { addedNodes, newNodes, oldNodes } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { countByZone } from '../surge/balance.ts';
import { compareText } from '../text/format.ts';
import { findUnjoined } from '../waits/unjoined.ts';

/** What decides how an aborted run scales in. */
interface ScaleInQuestion {
  readonly cluster: ClusterFacts;
  readonly policy: Policy;
  /** Zones of the new pool. */
  readonly zones: readonly string[];
  /** This many new nodes stay: as many as old ones were replaced. Those that were there before the run stay in addition. */
  readonly keep: number;
}

/** What leaves a pool that has too many nodes. */
interface ScaleIn {
  /** Nodes that are too many, in the order in which they should leave. */
  readonly excess: readonly NodeFacts[];
  /** IDs of instances that never became nodes: they serve nothing, and are terminated at once. */
  readonly unjoined: readonly string[];
}

/** How many new nodes stay, if the old pool has got some instances back before its rollback was aborted: those need no new node. */
export function countKept(
  keep: number,
  cluster: ClusterFacts,
  { policy, known }: { readonly policy: Policy; readonly known: readonly string[] },
): number {
  const back = oldNodes(cluster, policy).filter((node) => node.ready && !known.includes(node.instanceId));
  return Math.max(0, keep - back.length);
}

/** Decides what leaves the new pool of an aborted run. */
export function decideScaleIn(question: ScaleInQuestion, instances: readonly InstanceFacts[]): ScaleIn {
  const { nodes } = question.cluster;
  return {
    excess: selectExcess(question),
    unjoined: findUnjoined({ instances }, [...nodes, ...(question.policy.found ?? [])]),
  };
}

/**
 * The new nodes that are too many, in the order in which they should leave. The nodes that stay are spread over the zones as evenly as possible,
 * so that nothing has to be moved between zones afterwards. Within a zone the nodes with most pods stay. Nodes that were selected before are
 * cordoned: when some of them have gone and the question is asked again, the others are selected again.
 */
export function selectExcess({ cluster, policy, zones, keep }: ScaleInQuestion): readonly NodeFacts[] {
  const index = indexOf(cluster);
  const podsOn = (node: NodeFacts) =>
    index.podsOn(node.name).filter((pod) => pod.ownerKind !== 'DaemonSet').length + (node.ready ? 0.5 : 0);
  const added = addedNodes(cluster, policy);
  const left = added.toSorted(
    (a, b) => Number(a.cordoned) - Number(b.cordoned) || podsOn(b) - podsOn(a) || compareText(a.name, b.name),
  );
  const kept = newNodes(cluster, policy).filter((node) => !added.includes(node));
  const most = kept.length + keep;
  while (kept.length < most && left.length > 0) {
    const counts = countByZone(kept, zones);
    const least = Math.min(...left.map((node) => counts.get(node.zone) ?? 0));
    const next = left.findIndex((node) => (counts.get(node.zone) ?? 0) === least);
    kept.push(...left.splice(next, 1));
  }
  return left.toReversed();
}
