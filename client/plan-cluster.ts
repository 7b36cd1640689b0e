import { NodeferryError } from '../core/model/problem.ts';
import type { TryRelease } from '../operations/ask-before-pod-surge.ts';
import type { PlanCluster } from '../operations/observe-and-plan.ts';
import { createObserver } from '../operations/observer.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * The cluster with the permissions of whoever makes the plan. A role that may read pods may not be allowed to change them, or to read Leases.
 * What the caller's role does not allow is left out, and the run's own preflight checks it with the worker's role.
 */
export function planClusterOfCaller(ports: Pick<Ports, 'clock' | 'cluster' | 'loadBalancers'>): PlanCluster {
  const { cluster } = ports;
  const tryRelease: TryRelease = async ({ pod, from }) =>
    await unlessForbidden(async () => await cluster.tryRelease(pod, from), undefined);
  return {
    cluster: {
      findIncomingPools: async () => await unlessForbidden(async () => await cluster.findIncomingPools(), []),
      readVolumeClaims: async (volumeClaims) => await cluster.readVolumeClaims(volumeClaims),
      tryRemoveEndpoints: async (pod, removeLabels) =>
        await unlessForbidden(async () => await cluster.tryRemoveEndpoints(pod, removeLabels), undefined),
    },
    observer: createObserver(ports),
    tryRelease,
  };
}

async function unlessForbidden<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'Forbidden') return otherwise;
    throw error;
  }
}
