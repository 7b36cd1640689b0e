import type { ClusterFacts, ServingFacts } from '../core/model/serving.ts';
import type { Discovery } from '../ports/load-balancers.ts';
import type { Ports } from '../ports/ports.ts';

/** Looks at cluster and load balancers together. */
export interface Looking {
  /** A fresh look at everything that serves. Which load balancers there are, and how they are set, may be known for up to a minute. */
  serving(): Promise<ServingFacts>;
  /** The same, with nothing known from before: what an operator has just changed is seen. */
  servingAnew(): Promise<ServingFacts>;
  /** A fresh look at the cluster alone. */
  cluster(): Promise<ClusterFacts>;
}

/** Attributes of target groups change rarely: they are read anew after this time, ms; target states every time. */
const rediscoverAfterMs = 60_000;

/** Makes the one looking-glass of a worker, so that all its steps share what was discovered. */
export function createLooking(ports: Ports): Looking {
  let known: { readonly services: string; readonly at: number; readonly found: Discovery } | undefined;

  let discovering: { readonly services: string; readonly found: Promise<Discovery> } | undefined;

  /** Many steps find the same discovery expired at the same moment: one of them does it, the others only refresh its states. */
  async function lookBehind(cluster: ClusterFacts): Promise<Discovery> {
    const balanced = cluster.services.filter((service) => service.type === 'LoadBalancer');
    const services = JSON.stringify(balanced.map((service) => [service.key, service.hostnames]));
    if (known?.services === services && ports.clock.now() - known.at <= rediscoverAfterMs) {
      return await refresh(known.found);
    }
    if (discovering?.services === services) return await refresh(await discovering.found);
    const mine = { services, found: ports.loadBalancers.discover(balanced) };
    discovering = mine;
    try {
      const found = await mine.found;
      known = { services, at: ports.clock.now(), found };
      return found;
    } finally {
      if (discovering === mine) discovering = undefined;
    }
  }

  async function refresh({ groups, unsupported }: Discovery): Promise<Discovery> {
    return { groups: await ports.loadBalancers.refresh(groups), unsupported };
  }

  async function serving(): Promise<ServingFacts> {
    const { groups, unsupported } = await lookBehind(await ports.cluster.observe());
    // Load balancers may take seconds to answer, the cluster does not: it is looked at last, so that the look is of one moment.
    const cluster = await ports.cluster.observe();
    return { cluster, targetGroups: groups, unsupported, observedAt: ports.clock.now() };
  }

  return {
    cluster: async () => await ports.cluster.observe(),
    serving,
    servingAnew: async () => {
      known = undefined;
      discovering = undefined;
      return await serving();
    },
  };
}
