import type { ClusterFacts, ServingFacts } from '../core/model/serving.ts';
import type { TargetGroupFacts } from '../core/model/target-group.ts';
import type { Ports } from '../ports/ports.ts';

/** Looks at cluster and load balancers together. */
export interface Looking {
  /** A fresh look at everything that serves. */
  serving(): Promise<ServingFacts>;
  /** A fresh look at the cluster alone. */
  cluster(): Promise<ClusterFacts>;
}

/** Attributes of target groups change rarely: they are read anew after this time, ms; target states every time. */
const rediscoverAfterMs = 60_000;

/** Makes the one looking-glass of a worker, so that all its steps share what was discovered. */
export function createLooking(ports: Ports): Looking {
  let known:
    | { readonly services: string; readonly at: number; readonly groups: readonly TargetGroupFacts[] }
    | undefined;

  let discovering: { readonly services: string; readonly groups: Promise<readonly TargetGroupFacts[]> } | undefined;

  /** Many steps find the same discovery expired at the same moment: one of them does it, the others only refresh its states. */
  async function groupsOf(cluster: ClusterFacts): Promise<readonly TargetGroupFacts[]> {
    const balanced = cluster.services.filter((service) => service.type === 'LoadBalancer');
    const services = JSON.stringify(balanced.map((service) => [service.key, service.hostnames]));
    if (known?.services === services && ports.clock.now() - known.at <= rediscoverAfterMs) {
      return await ports.loadBalancers.refresh(known.groups);
    }
    if (discovering?.services === services) return await ports.loadBalancers.refresh(await discovering.groups);
    const mine = { services, groups: ports.loadBalancers.discover(balanced) };
    discovering = mine;
    try {
      const groups = await mine.groups;
      known = { services, at: ports.clock.now(), groups };
      return groups;
    } finally {
      if (discovering === mine) discovering = undefined;
    }
  }

  return {
    cluster: async () => await ports.cluster.observe(),
    serving: async () => {
      const targetGroups = await groupsOf(await ports.cluster.observe());
      // Load balancers may take seconds to answer, the cluster does not: it is looked at last, so that the look is of one moment.
      return { cluster: await ports.cluster.observe(), targetGroups, observedAt: ports.clock.now() };
    },
  };
}
