import { isIP } from 'node:net';
import type { LoadBalancerFamily } from '../../ports/load-balancers.ts';
import { createElbLoadBalancers, type ElbOptions } from './load-balancers.ts';
import { isArn, targetGroupKinds } from './map.ts';

/** Whether a provider ID is of AWS. Written by the cloud controller manager: `aws:///eu-west-1a/i-0abc` (cloud-provider-aws). */
export function isNodeOfAws(providerId: string): boolean {
  return providerId.startsWith('aws:');
}

/** Application and Network Load Balancers of one region, whose addresses are always names (ELBv2 API reference, LoadBalancer.DNSName). */
export function createElbFamily(options: ElbOptions): LoadBalancerFamily {
  return {
    title: 'AWS',
    kinds: targetGroupKinds,
    hasNode: isNodeOfAws,
    claims: ({ hostnames, podGroups }) =>
      hostnames.some((address) => isIP(address) === 0) || podGroups?.names.some(isArn) === true,
    ...createElbLoadBalancers(options),
  };
}
