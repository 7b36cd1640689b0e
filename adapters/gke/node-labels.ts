import type { ProviderNodeLabels } from '../../ports/node-labels.ts';

/** Label that GKE puts on every node of a node pool, with the pool's name (GKE documentation, "Add and manage node pools"). */
export const nodePoolLabel = 'cloud.google.com/gke-nodepool';

/** The labels of GKE on nodes. A replacement has all others as well, because it is created with the settings of its source. */
export const gkeNodeLabels: ProviderNodeLabels = {
  name: nodePoolLabel,
  others: [],
  // Each node of GKE is a VM, in Autopilot clusters too (GKE documentation, "Autopilot overview").
  isMadeForOnePod: () => false,
};
