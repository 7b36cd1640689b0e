import type { ServiceFacts } from '../../core/model/service.ts';

/** A Service (`namespace/name`) to which a load balancer may send through nodes, and the object that it was made for, e.g. `Ingress default/web`. */
export interface NodeBackend {
  readonly service: string;
  readonly by: string;
  /** Names of its target groups, those for other Services included, as far as the object tells them. */
  readonly groups: readonly string[];
}

/** Which of its groups are for a Service, whether it does send to that through nodes, and how to have pods as targets instead, in a sentence. */
interface Reading {
  readonly groupsFor: (service: ServiceFacts, backend: NodeBackend) => readonly string[];
  readonly isThroughNodes: (service: ServiceFacts, groups: readonly string[]) => boolean;
  readonly hint: string;
}

/** The Services with the load balancers of other objects that send to them through nodes. */
export function withNodeBackends(
  services: readonly ServiceFacts[],
  backends: readonly NodeBackend[],
  { groupsFor, isThroughNodes, hint }: Reading,
): readonly ServiceFacts[] {
  if (backends.length === 0) return services;
  const byService = Map.groupBy(backends, ({ service }) => service);
  return services.map((service) => {
    const found = (byService.get(service.key) ?? []).flatMap((backend) => {
      const groups = groupsFor(service, backend);
      return isThroughNodes(service, groups) ? [{ by: backend.by, groups, hint }] : [];
    });
    return found.length === 0 ? service : { ...service, nodeBalancers: [...(service.nodeBalancers ?? []), ...found] };
  });
}
