import type { NodeIdentity } from '../../contracts.ts';
import { kubernetesTaintEffect } from '../../taint-effects.ts';
import type { Nodegroup } from './state.ts';

/**
 * The node that an instance of this group becomes, with the labels that EKS sets (EKS user guide, "Managed node groups": eks.amazonaws.com/nodegroup,
 * capacityType, nodegroup-image, sourceLaunchTemplateId and -Version).
 */
export function nodeIdentity(nodegroup: Nodegroup, launchTemplateId: string): NodeIdentity {
  return {
    nodegroup: nodegroup.name,
    kubernetesVersion: `v${nodegroup.releaseVersion.split('-')[0]}`,
    labels: {
      ...Object.fromEntries(nodegroup.labels),
      'eks.amazonaws.com/nodegroup': nodegroup.name,
      'eks.amazonaws.com/capacityType': nodegroup.request.capacityType,
      'eks.amazonaws.com/nodegroup-image': nodegroup.imageId,
      'eks.amazonaws.com/sourceLaunchTemplateId': launchTemplateId,
      'eks.amazonaws.com/sourceLaunchTemplateVersion': '1',
    },
    taints: nodegroup.taints.map(({ key = '', value = '', effect = '' }) => ({
      key,
      value,
      effect: kubernetesTaintEffect(effect),
    })),
  };
}
