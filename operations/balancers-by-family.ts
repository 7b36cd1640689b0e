import { NodeferryError } from '../core/model/problem.ts';
import type { ServiceFacts } from '../core/model/service.ts';
import type { TargetGroupBase } from '../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../core/model/unsupported-service.ts';
import type { LoadBalancerFamily, LoadBalancers } from '../ports/load-balancers.ts';

/**
 * The load balancers of several clouds behind one port. Each Service goes to the first family that has nodes in the cluster and claims it; a family
 * without nodes there is never asked. A Service that nobody claims is unsupported. Target states are read by the family that found the group.
 */
export function balancersByFamily(families: readonly LoadBalancerFamily[]): LoadBalancers {
  return {
    discover: async (services, options = {}) => {
      const { beside = [], providerIds } = options;
      const here = families.filter(({ hasNode }) => providerIds === undefined || providerIds.some(hasNode));
      const familyOf = (service: ServiceFacts) => here.find(({ claims }) => claims(service));
      const exposed = [...services, ...beside].filter(isExposed);
      const wanted = new Set(services);
      const found = await Promise.all(
        [...Map.groupBy(exposed, familyOf)].map(async ([family, own]) => {
          if (family === undefined)
            return { groups: [], unsupported: own.filter(isBalanced).map((one) => ofNoFamily(one, here)) };
          const [asked, others] = [own.filter((one) => wanted.has(one)), own.filter((one) => !wanted.has(one))];
          return await family.discover(asked, { ...options, beside: others });
        }),
      );
      return {
        groups: found.flatMap(({ groups }) => groups),
        unsupported: found.flatMap(({ unsupported }) => unsupported),
      };
    },
    readTargets: async (groups, options) => {
      const read = await Promise.all(
        [...Map.groupBy(groups, (group) => finderOf(families, group))].map(
          async ([family, own]) => await family.readTargets(own, options),
        ),
      );
      const states = new Map(read.flat().map((group) => [group.id, group.targets]));
      return groups.map((group) => ({ ...group, targets: states.get(group.id) ?? [] }));
    },
  };
}

/** A Service that has, or may have, a load balancer by now. */
function isExposed({ type, hostnames, podGroups, nodePortBalancers = [] }: ServiceFacts): boolean {
  const hasAddress = type === 'LoadBalancer' && hostnames.length > 0;
  return hasAddress || podGroups !== undefined || nodePortBalancers.some(({ groups }) => groups.length > 0);
}

function isBalanced({ type }: ServiceFacts): boolean {
  return type === 'LoadBalancer';
}

function finderOf(families: readonly LoadBalancerFamily[], { id, kind }: TargetGroupBase): LoadBalancerFamily {
  const family = families.find(({ kinds }) => kinds.includes(kind));
  if (family !== undefined) return family;
  throw new NodeferryError({ code: 'Internal', message: `nobody can read target group ${id} of kind ${kind}` });
}

function ofNoFamily({ key, hostnames }: ServiceFacts, here: readonly LoadBalancerFamily[]): UnsupportedServiceFacts {
  const titles = here.map(({ title }) => title).join(' and ');
  const detail =
    here.length === 0
      ? 'the nodes of the cluster are in no cloud that is configured'
      : `no load balancer of ${titles} has an address like ${hostnames.join(', ')}`;
  return {
    service: key,
    why: 'unknown-load-balancer',
    detail,
    hint: 'Whether a node is deregistered could not be observed. Check the provider IDs of the nodes, and the region that is configured.',
  };
}
