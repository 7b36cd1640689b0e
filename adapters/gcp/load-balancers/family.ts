import { isIP } from 'node:net';
import { NodeferryError } from '../../../core/model/problem.ts';
import type { LoadBalancerFamily, LoadBalancers } from '../../../ports/load-balancers.ts';
import type { RateLimiter } from '../../calls/rate-limiter.ts';
import type { GcpOptions } from '../options.ts';
import { findPlace } from '../provider-id.ts';
import { backendService, podEndpoints, targetPool } from './kinds.ts';
import { createGoogleLoadBalancers } from './load-balancers.ts';
import { createReadLimiter } from './read-limits.ts';

/** `ratePerSecond`: reads in one project. */
type FamilyOptions = Omit<GcpOptions, 'project'> & { readonly ratePerSecond?: number | undefined };

/**
 * Passthrough load balancers, whose addresses are always IP addresses, and of all others the groups of pods and those of Ingresses. Project and region are
 * those of the nodes, as their provider IDs say: nothing has to be configured, and no other project is ever asked. All reads of a project share a rate
 * limit.
 */
export function createGoogleFamily(options: FamilyOptions): LoadBalancerFamily {
  let opened: { readonly project: string; readonly region: string; readonly balancers: LoadBalancers } | undefined;

  const limiters = new Map<string, RateLimiter>();

  function openAt(providerIds: readonly string[]): LoadBalancers {
    const place = findPlace(providerIds);
    if (place === undefined) throw unknownPlace();
    if (opened?.project !== place.project || opened.region !== place.region) {
      const limiter = limiters.get(place.project) ?? createReadLimiter(options.clock, options.ratePerSecond);
      limiters.set(place.project, limiter);
      opened = { ...place, balancers: createGoogleLoadBalancers({ ...options, ...place, limiter }) };
    }
    return opened.balancers;
  }

  return {
    title: 'Google Cloud',
    kinds: [targetPool, backendService, podEndpoints],
    hasNode: (providerId) => findPlace([providerId]) !== undefined,
    claims: ({ hostnames, podGroups }) =>
      hostnames.every((address) => isIP(address) !== 0) &&
      podGroups?.names.some((name) => name.startsWith('arn:')) !== true,
    discover: async (services, asked = {}) => await openAt(asked.providerIds ?? []).discover(services, asked),
    readTargets: async (groups, asked) => {
      if (opened === undefined) throw unknownPlace();
      return await opened.balancers.readTargets(groups, asked);
    },
  };
}

function unknownPlace(): NodeferryError {
  return new NodeferryError({
    code: 'Internal',
    message: 'no provider ID of a node says in which project and region of Google Cloud the load balancers are',
  });
}
