import { eksNodeLabels } from '../adapters/eks/node-labels.ts';
import { podGroupsOfGke } from '../adapters/gcp/load-balancers/pod-groups-annotation.ts';
import { gkeNodeLabels } from '../adapters/gke/node-labels.ts';
import type { CloudWords } from '../adapters/kubernetes/caches.ts';
import {
  createKubernetesCluster,
  type KubernetesCluster,
  type KubernetesOptions,
} from '../adapters/kubernetes/cluster.ts';
import type { NodeFacts } from '../core/model/node.ts';
import type { ProviderNodeLabels } from '../ports/node-labels.ts';
import { type ProviderName, providerNames } from './provider-names.ts';

/** The labels by which the nodes of each provider are recognized. Of several on one node the first counts. */
const labelsByProvider: readonly (readonly [ProviderName, ProviderNodeLabels])[] = [
  ['eks', eksNodeLabels],
  ['gke', gkeNodeLabels],
];

/** The same without the names of the providers. */
export const providerNodeLabels: readonly ProviderNodeLabels[] = labelsByProvider.map(([, labels]) => labels);

/** The provider whose pool the node belongs to; undefined for a node that belongs to none. */
export function providerOfNode({ poolLabels }: Pick<NodeFacts, 'poolLabels'>): ProviderName | undefined {
  return labelsByProvider.find(([, { name }]) => name === poolLabels?.name)?.[0];
}

/** The provider of the first node that belongs to a pool of one; undefined where none does. */
export function providerOfNodes(nodes: readonly Pick<NodeFacts, 'poolLabels'>[]): ProviderName | undefined {
  return nodes.map(providerOfNode).find((name) => name !== undefined);
}

/** The provider of a pool: that of its nodes, or of others of the cluster where it has none. `none` where nodes belong to no pool of a provider. */
export function providerOfPool(nodes: readonly Pick<NodeFacts, 'pool' | 'poolLabels'>[], pool: string): ProviderName {
  const own = nodes.filter((node) => node.pool === pool);
  return providerOfNodes([...own, ...nodes]) ?? (nodes.length === 0 ? providerNames[0] : 'none');
}

/** The cluster, with nodes of all providers recognized. @throws NodeferryError ClusterUnreachable when the kubeconfig can't be used */
export function openCluster(options: Omit<KubernetesOptions, keyof CloudWords> = {}): KubernetesCluster {
  return createKubernetesCluster({ ...options, nodeLabels: providerNodeLabels, readPodGroups: podGroupsOfGke });
}
