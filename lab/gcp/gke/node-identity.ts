import type { NodeIdentity } from '../../contracts.ts';
import { kubernetesTaintEffect } from '../../taint-effects.ts';
import { withManaged } from './managed.ts';
import type { NodePool } from './state.ts';

/**
 * The node that a VM of this pool becomes. Its labels are those of the pool and some of those that nodes of GKE have, as `kubectl describe node` shows
 * them there; its kubelet reports the pool's version, `v1.35.8-gke.1000`.
 */
export function nodeIdentity({ name, spec }: NodePool): NodeIdentity {
  const { labels, taints, spot, preemptible, diskType } = withManaged(spec.config);
  return {
    nodegroup: name,
    kubernetesVersion: `v${spec.version}`,
    labels: {
      ...labels,
      'cloud.google.com/gke-nodepool': name,
      'cloud.google.com/gke-boot-disk': diskType || 'pd-balanced',
      'cloud.google.com/gke-container-runtime': 'containerd',
      'cloud.google.com/gke-max-pods-per-node': '110',
      'cloud.google.com/gke-os-distribution': 'cos',
      'cloud.google.com/gke-provisioning': spot ? 'spot' : preemptible ? 'preemptible' : 'standard',
    },
    taints: (taints ?? []).map(({ key, value, effect }) => ({
      key: key ?? '',
      value: value ?? '',
      effect: kubernetesTaintEffect(effect),
    })),
  };
}
