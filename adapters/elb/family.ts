import { isIP } from 'node:net';
import type { LoadBalancerFamily } from '../../ports/load-balancers.ts';
import { once } from '../calls/once.ts';
import type { ElbOptions } from './load-balancers.ts';
import { isArn, targetGroupKinds } from './map.ts';

/** Whether a provider ID is of AWS. Written by the cloud controller manager: `aws:///eu-west-1a/i-0abc` (cloud-provider-aws). */
export function isNodeOfAws(providerId: string): boolean {
  return providerId.startsWith('aws:');
}

/**
 * Application and Network Load Balancers of one region, whose addresses are always names (ELBv2 API reference, LoadBalancer.DNSName). The SDK is loaded
 * at the first call: nobody on another cloud waits for it.
 */
export function createElbFamily(options: ElbOptions): LoadBalancerFamily {
  const load = once(async () => (await import('./load-balancers.ts')).createElbLoadBalancers(options));
  return {
    title: 'AWS',
    kinds: targetGroupKinds,
    hasNode: isNodeOfAws,
    claims: ({ hostnames, podGroups }) =>
      hostnames.some((address) => isIP(address) === 0) ||
      podGroups?.names.some(isArn) === true ||
      podGroups?.inOtherAccounts !== undefined,
    discover: async (services, asked) => await (await load()).discover(services, asked),
    readTargets: async (groups, asked) => await (await load()).readTargets(groups, asked),
  };
}
