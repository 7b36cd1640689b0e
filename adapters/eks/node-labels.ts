import type { ProviderNodeLabels } from '../../ports/node-labels.ts';

/** Label that EKS puts on every node of a managed node group, with the group's name (Amazon EKS user guide, "Managed node groups"). */
export const nodegroupLabel = 'eks.amazonaws.com/nodegroup';

/** The labels of EKS on nodes. */
export const eksNodeLabels: ProviderNodeLabels = {
  name: nodegroupLabel,
  others: ['eks.amazonaws.com/nodegroup-image', 'eks.amazonaws.com/sourceLaunchTemplateVersion'],
  // A node of AWS Fargate belongs to one pod (EKS user guide, "AWS Fargate").
  isMadeForOnePod: (labels) => labels['eks.amazonaws.com/compute-type'] === 'fargate',
};
