import { isIP } from 'node:net';
import type { LoadBalancerFamily } from '../../ports/load-balancers.ts';
import { createElbLoadBalancers, type ElbOptions } from './load-balancers.ts';
import { targetGroupKind } from './map.ts';

/** Application and Network Load Balancers of one region, whose addresses are always names (ELBv2 API reference, LoadBalancer.DNSName). */
export function createElbFamily(options: ElbOptions): LoadBalancerFamily {
  return {
    title: 'AWS',
    kinds: [targetGroupKind],
    // Written by the cloud controller manager: `aws:///eu-west-1a/i-0abc` (cloud-provider-aws).
    hasNode: (providerId) => providerId.startsWith('aws:'),
    claims: ({ hostnames }) => hostnames.some((address) => isIP(address) === 0),
    ...createElbLoadBalancers(options),
  };
}
