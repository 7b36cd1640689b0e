import type { NodeIdentity } from '../ec2/state.ts';
import type { Nodegroup } from './state.ts';

/** Taint effects as the EKS API and Kubernetes spell them. */
const taintEffects: Readonly<Record<string, string>> = {
  NO_SCHEDULE: 'NoSchedule',
  NO_EXECUTE: 'NoExecute',
  PREFER_NO_SCHEDULE: 'PreferNoSchedule',
};

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
      effect: taintEffects[effect] ?? effect,
    })),
  };
}
