import { indexOf } from '../../model/cluster-index.ts';
import { selectsLabels } from '../../model/label-selector.ts';
import { hostnameLabel, nodegroupLabel } from '../../model/labels.ts';
import { type BesideFacts, isFinished, type PodFacts } from '../../model/pod.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import type { PodSurgeContext, PodSurgeRefusal } from './rule.ts';

/** Labels of nodes whose values no new node shares with an old one; by any other, what stays on old nodes is near enough. */
const ownKeys: readonly string[] = [hostnameLabel, nodegroupLabel];

/**
 * A pod that must run beside another finds no place on a new node as long as none of those is there. One on the same old node that is handed
 * over too starts there in the same wave; so does a DaemonSet's. `isSurged` asks all other rules.
 */
export function affinity(
  pod: PodFacts,
  { cluster }: PodSurgeContext,
  isSurged: (other: PodFacts) => boolean,
): PodSurgeRefusal | undefined {
  const { besides = [] } = pod;
  const alone = besides.find((term) => ownKeys.includes(term.topologyKey) && !hasCompany(pod, term));
  if (alone === undefined) return undefined;
  return {
    reason: `its required affinity by ${alone.topologyKey} lets it run only beside pods that pod surge does not replace with it`,
    hint: 'Prefer to be beside them instead of requiring it, or require it by topology.kubernetes.io/zone.',
  };

  function hasCompany({ node = '' }: PodFacts, term: BesideFacts): boolean {
    const here = indexOf(cluster)
      .podsOn(node)
      .filter((other) => makerOf(other) !== makerOf(pod) && isBeside(other, term));
    const comes = (other: PodFacts) =>
      other.ownerKind === 'DaemonSet' || other.released !== undefined || isSurged(other);
    return here.some(comes) || isElsewhere(pod, term, cluster);
  }
}

function makerOf({ uid, workload, released }: PodFacts): string {
  return released?.workload ?? workload ?? uid;
}

/** Pods that it may run beside are on nodes which stay: its replacement can go there. */
function isElsewhere(pod: PodFacts, term: BesideFacts, cluster: ClusterFacts): boolean {
  const { nodes } = indexOf(cluster);
  const own = nodes.get(pod.node ?? '')?.pool;
  return cluster.pods.some((other) => {
    const host = nodes.get(other.node ?? '');
    if (host === undefined || host.cordoned || host.pool === own) return false;
    return makerOf(other) !== makerOf(pod) && isBeside(other, term);
  });
}

function isBeside(pod: PodFacts, { selector, namespaces }: BesideFacts): boolean {
  if (pod.terminating || isFinished(pod) || namespaces?.includes(pod.namespace) === false) return false;
  return selectsLabels(selector, pod.labels);
}
