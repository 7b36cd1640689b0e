import { eksNodeLabels } from '../adapters/eks/node-labels.ts';
import {
  createKubernetesCluster,
  type KubernetesCluster,
  type KubernetesOptions,
} from '../adapters/kubernetes/cluster.ts';
import type { ProviderNodeLabels } from '../ports/node-labels.ts';

/** The labels by which the nodes of each provider are recognized. Of several on one node the first counts. */
export const providerNodeLabels: readonly ProviderNodeLabels[] = [eksNodeLabels];

/** The cluster, with nodes of all providers recognized. @throws NodeferryError ClusterUnreachable when the kubeconfig can't be used */
export function openCluster(options: Omit<KubernetesOptions, 'nodeLabels'> = {}): KubernetesCluster {
  return createKubernetesCluster({ ...options, nodeLabels: providerNodeLabels });
}
