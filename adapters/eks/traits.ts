import { spreadEvenly } from '../../core/surge/zoned-size.ts';
import type { ProviderTraits } from '../../ports/provider.ts';

/** What EKS is like. */
export const eksTraits: ProviderTraits = {
  title: 'AWS',
  hasPools: true,
  regionVariables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
  lacks: {
    inPlace: {
      message: 'nodeferry replaces no EKS node group under its own name',
      hint: 'Set spec.target.poolName to another name: the run creates that node group.',
    },
  },
  // Auto Scaling launches in the zone with the fewest instances (Amazon EC2 Auto Scaling user guide, "Instance distribution").
  spread: spreadEvenly,
  grows: spreadEvenly,
  scalingHint: 'Check Auto Scaling permissions.',
  // The group keeps its size, and a run lowers it when it gets to the node.
  terminateByHand: ({ region }, { instanceId }) =>
    `aws ec2 terminate-instances --region ${region} --instance-ids ${instanceId}`,
  listPools: ({ cluster, region }) => `aws eks list-nodegroups --region ${region} --cluster-name ${cluster}`,
};
