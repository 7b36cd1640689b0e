import type { ProviderTraits } from '../../ports/provider.ts';

/** What EKS is like. */
export const eksTraits: ProviderTraits = {
  title: 'AWS',
  hasPools: true,
  regionVariables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
  scalingHint: 'Check Auto Scaling permissions.',
  // The group keeps its size, and a run lowers it when it gets to the node.
  terminateByHand: ({ region }, { instanceId }) =>
    `aws ec2 terminate-instances --region ${region} --instance-ids ${instanceId}`,
  listPools: ({ cluster, region }) => `aws eks list-nodegroups --region ${region} --cluster-name ${cluster}`,
};
