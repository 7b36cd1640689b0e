/** The ID of a cluster of GKE, which its controllers put into the names of what they create. */
import type { KubeConfig, V1ConfigMap } from '@kubernetes/client-node';
import { applyObjects } from './objects.ts';

/**
 * Stores the ID where both controllers read it. Without it ingress-gce, when it is first, stores a part that the cloud controller manager takes for the
 * whole and fails on, "Could not retrieve cluster id" (cloud-provider-gcp, providers/gce/gce_clusterid.go, getOrInitialize).
 */
export async function storeClusterUid(config: KubeConfig, uid: string): Promise<void> {
  const stored: V1ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'ingress-uid' },
    data: { uid, 'provider-uid': uid },
  };
  await applyObjects(config, [stored], undefined);
}
