import { sameInEachZone } from '../../core/surge/zoned-size.ts';
import type { ProviderTraits } from '../../ports/provider.ts';

/** What GKE is like. The region of a pool is the location of its cluster: a region, or a zone. */
export const gkeTraits: ProviderTraits = {
  title: 'Google Cloud',
  hasPools: true,
  // The properties of gcloud (gcloud topic configurations); a zonal cluster is in a zone.
  regionVariables: ['CLOUDSDK_COMPUTE_REGION', 'CLOUDSDK_COMPUTE_ZONE'],
  lacks: {
    inPlace: {
      message: 'nodeferry replaces no GKE node pool under its own name',
      hint: 'Set spec.target.poolName to another name: the run creates that node pool.',
    },
  },
  // A pool is created with one number for each zone (GKE API reference, NodePool.initialNodeCount). Its groups grow one by one.
  spread: sameInEachZone,
  grows: (needs) => needs,
  scalingHint: 'Check the permission container.clusters.update, and that no other operation of the cluster lasts.',
  // Through its group, which lowers its target size: a VM that is deleted directly is created again.
  terminateByHand: ({ locator }, { instanceId, zone }) =>
    `gcloud compute instance-groups managed delete-instances ${groupOf(instanceId)} --instances=${instanceId} --zone=${zone}${inProject(locator)}`,
  listPools: ({ cluster, region, locator }) =>
    `gcloud container node-pools list --cluster=${cluster} --location=${region}${inProject(locator)}`,
};

/**
 * The managed instance group of a VM. GKE names it `gke-CLUSTER-POOL-HASH-grp`, and its VMs like it, with four random characters in place of `grp` (GKE
 * documentation, "Node pools"; Compute Engine documentation, "Base instance name").
 */
function groupOf(vm: string): string {
  return vm.replace(/-[^-]+$/, '-grp');
}

function inProject(locator: Readonly<Record<string, string>> | undefined): string {
  const project = locator?.['project'];
  return project === undefined ? '' : ` --project=${project}`;
}
