import type { ServiceFacts } from '../../core/model/service.ts';

/** A Service (`namespace/name`) to which a load balancer may send through nodes, and the object that it was made for, e.g. `Ingress default/web`. */
export interface NodeBackend {
  readonly service: string;
  readonly by: string;
  /** Names of its target groups, those for other Services included, as far as the object tells them. */
  readonly groups: readonly string[];
}

/** How such load balancers are understood. */
interface Reading {
  /** The names that are those of groups for the Service. Undefined where the load balancer does not send to it through nodes. */
  readonly groupsFor: (service: ServiceFacts, named: readonly string[]) => readonly string[] | undefined;
  /** How to have pods as targets instead, in a sentence. */
  readonly hint: string;
}

/** The Services with the load balancers of other objects that send to them through nodes. */
export function withNodeBackends(
  services: readonly ServiceFacts[],
  backends: readonly NodeBackend[],
  { groupsFor, hint }: Reading,
): readonly ServiceFacts[] {
  if (backends.length === 0) return services;
  const byService = Map.groupBy(backends, ({ service }) => service);
  return services.map((service) => {
    const { nodePortBalancers: known = [] } = service;
    const found = (byService.get(service.key) ?? []).flatMap(({ by, groups: named }) => {
      const groups = groupsFor(service, named);
      return groups === undefined ? [] : [{ by, groups, hint }];
    });
    return found.length === 0 ? service : { ...service, nodePortBalancers: [...known, ...found] };
  });
}
