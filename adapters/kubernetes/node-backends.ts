import type { ServiceFacts } from '../../core/model/service.ts';

/** A Service (`namespace/name`) to which a load balancer may send through nodes, and the object that it was made for, e.g. `Ingress default/web`. */
export interface NodeBackend {
  readonly service: string;
  readonly by: string;
}

/** Where such a load balancer does send through nodes, and how to have one that is observed, in a sentence. */
interface Unobserved {
  readonly isThroughNodes: (service: ServiceFacts) => boolean;
  readonly hint: string;
}

/** The Services with the first such load balancer of each, which nobody observes. */
export function withNodeBackends(
  services: readonly ServiceFacts[],
  backends: readonly NodeBackend[],
  { isThroughNodes, hint }: Unobserved,
): readonly ServiceFacts[] {
  if (backends.length === 0) return services;
  const byService = new Map(backends.toReversed().map(({ service, by }) => [service, by]));
  return services.map((service) => {
    const by = byService.get(service.key);
    return by === undefined || !isThroughNodes(service) ? service : { ...service, unobservedBalancer: { by, hint } };
  });
}
