import { NodeferryError, type Problem } from '../core/model/problem.ts';
import type { TryRelease } from '../operations/ask-before-pod-surge.ts';
import type { PlanCluster } from '../operations/observe-and-plan.ts';
import { createObserver } from '../operations/observer.ts';
import type { Answer, NotTried } from '../operations/try-removals.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * The cluster with the permissions of whoever makes the plan. A role that may read pods may not be allowed to change them, or to read Leases.
 * What the caller's role does not allow is left out, which the plan says, and the run's own preflight checks it with the worker's role.
 */
export function planClusterOfCaller(ports: Pick<Ports, 'clock' | 'cluster' | 'loadBalancers'>): PlanCluster {
  const { cluster } = ports;
  const tryRelease: TryRelease = async ({ pod, from }) =>
    await unlessForbidden<Answer>(async () => await cluster.tryRelease(pod, from), notTried);
  return {
    cluster: {
      findIncomingPools: async () =>
        await unlessForbidden<readonly string[]>(
          async () => await cluster.findIncomingPools(),
          () => [],
        ),
      readVolumeClaims: async (volumeClaims) => await cluster.readVolumeClaims(volumeClaims),
      tryRemoveEndpoints: async (pod, removeLabels) =>
        await unlessForbidden<Answer>(async () => await cluster.tryRemoveEndpoints(pod, removeLabels), notTried),
    },
    observer: createObserver(ports),
    tryRelease,
  };
}

function notTried({ message, hint = '' }: Problem): NotTried {
  return { untried: { message, hint } };
}

async function unlessForbidden<T>(ask: () => Promise<T>, otherwise: (why: Problem) => T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'Forbidden') return otherwise(error.problem);
    throw error;
  }
}
