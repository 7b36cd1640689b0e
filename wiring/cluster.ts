import { podGroupsOfGke } from '../adapters/gcp/load-balancers/pod-groups-annotation.ts';
import type { CloudWords } from '../adapters/kubernetes/caches.ts';
import {
  createKubernetesCluster,
  type KubernetesCluster,
  type KubernetesOptions,
} from '../adapters/kubernetes/cluster.ts';
import type { NodeFacts } from '../core/model/node.ts';
import type { ProviderNodeLabels } from '../ports/node-labels.ts';
import { type ProviderName, providerNames, providers, usualProvider } from './providers.ts';

/** The labels by which the nodes of all providers are recognized. */
export const providerNodeLabels: readonly ProviderNodeLabels[] = providerNames.flatMap(
  (name) => providers[name].nodeLabels ?? [],
);

/** The provider whose pool the node belongs to; undefined for a node that belongs to none. */
export function providerOfNode({ poolLabels }: Pick<NodeFacts, 'poolLabels'>): ProviderName | undefined {
  if (poolLabels === undefined) return undefined;
  return providerNames.find((name) => providers[name].nodeLabels?.name === poolLabels.name);
}

/** The provider of the first node that belongs to a pool of one; undefined where none does. */
export function providerOfNodes(nodes: readonly Pick<NodeFacts, 'poolLabels'>[]): ProviderName | undefined {
  return nodes.map(providerOfNode).find((name) => name !== undefined);
}

/** The provider of a pool: that of its nodes, or of others of the cluster where it has none. `none` where nodes belong to no pool of a provider. */
export function providerOfPool(nodes: readonly Pick<NodeFacts, 'pool' | 'poolLabels'>[], pool: string): ProviderName {
  const own = nodes.filter((node) => node.pool === pool);
  return providerOfNodes([...own, ...nodes]) ?? (nodes.length === 0 ? usualProvider : 'none');
}

/** The cluster, with nodes of all providers recognized. @throws NodeferryError ClusterUnreachable when the kubeconfig can't be used */
export function openCluster(options: Omit<KubernetesOptions, keyof CloudWords> = {}): KubernetesCluster {
  return createKubernetesCluster({ ...options, nodeLabels: providerNodeLabels, readPodGroups: podGroupsOfGke });
}
