import { indexOf } from '../../model/cluster-index.ts';
import { selectsLabels } from '../../model/label-selector.ts';
import { hostnameLabel } from '../../model/labels.ts';
import { type BesideFacts, isActive, type PodFacts } from '../../model/pod.ts';
import { findPeers, membersOf } from '../../policy/members.ts';
import type { PodSurgeContext, PodSurgeRefusal } from './rule.ts';

/**
 * A pod that must run beside another cannot be scheduled on a new node until one of those runs there. A pod of the same old node that is surged
 * too starts there in the same batch, and so does the pod of a DaemonSet. `isSurged` evaluates all other rules.
 */
export function affinity(
  pod: PodFacts,
  context: PodSurgeContext,
  isSurged: (other: PodFacts) => boolean,
): PodSurgeRefusal | undefined {
  const { cluster } = context;
  const { besides = [] } = pod;
  // Labels whose values differ between old and new nodes. With any other label, pods that stay on old nodes satisfy the affinity.
  const ownKeys = [hostnameLabel, indexOf(cluster).nodes.get(pod.node ?? '')?.poolLabels?.name];
  const alone = besides.find((term) => ownKeys.includes(term.topologyKey) && !hasCompany(pod, term));
  if (alone === undefined) return undefined;
  return {
    reason: `its required affinity by ${alone.topologyKey} requires pods that are not surged with it`,
    hint: 'Use preferred affinity, or require it by topology.kubernetes.io/zone.',
  };

  function hasCompany({ node = '' }: PodFacts, term: BesideFacts): boolean {
    const here = indexOf(cluster)
      .podsOn(node)
      .filter((other) => makerOf(other) !== makerOf(pod) && isBeside(other, term));
    const comes = (other: PodFacts) =>
      other.ownerKind === 'DaemonSet' || other.released !== undefined || isSurged(other);
    return here.some(comes) || isElsewhere(pod, term, context);
  }
}

function makerOf({ uid, workload, released }: PodFacts): string {
  return released?.workload ?? workload ?? uid;
}

/** Whether pods that satisfy the affinity run on nodes that stay, so that its replacement can be scheduled there. */
function isElsewhere(pod: PodFacts, term: BesideFacts, { cluster, policy }: PodSurgeContext): boolean {
  const { nodes } = indexOf(cluster);
  const own = findPeers(nodes.get(pod.node ?? '')?.uid, membersOf(cluster, policy));
  return cluster.pods.some((other) => {
    const host = nodes.get(other.node ?? '');
    if (host === undefined || host.cordoned || own?.has(host.uid) === true) return false;
    return makerOf(other) !== makerOf(pod) && isBeside(other, term);
  });
}

function isBeside(pod: PodFacts, { selector, namespaces }: BesideFacts): boolean {
  if (!isActive(pod) || namespaces?.includes(pod.namespace) === false) return false;
  return selectsLabels(selector, pod.labels);
}
