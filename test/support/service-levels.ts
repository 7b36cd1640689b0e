import { NodeferryError } from '../../core/model/problem.ts';
import type { ClusterFacts } from '../../core/model/serving.ts';
import { openCluster } from '../../wiring/cluster.ts';

/** Time between two observations, ms: several within the time that an endpoint takes to spread. */
const pollIntervalMs = 200;

/** The least that was there at any moment, in words that a failed test prints. */
interface ServiceLevels {
  /** Services whose ready endpoints were fewer than at the start, and budgets whose healthy pods were fewer than they demand. */
  stop(): Promise<readonly string[]>;
}

/**
 * Watches every Service and every PodDisruptionBudget of a cluster from now on, as often as its caches can tell something new. While the API server does
 * not answer, there is nothing to see; whoever stops the watch then gets its error.
 */
export async function watchServiceLevels(kubeconfig: string): Promise<ServiceLevels> {
  const cluster = openCluster({ kubeconfig });
  const first = countReady(await cluster.observe());
  const fewest = new Map(first);
  const missing = new Map<string, number>();
  const ended = new AbortController();
  const watching = watch();
  watching.catch(() => undefined);
  return {
    stop: async () => {
      ended.abort();
      try {
        await watching;
      } finally {
        cluster.close();
      }
      const thin = [...first].filter(([key, had]) => (fewest.get(key) ?? 0) < had);
      return [
        ...thin.map(([key, had]) => `${key} had ${fewest.get(key)} ready endpoints, at the start ${had}`),
        ...[...missing].map(([key, pods]) => `budget ${key} missed ${pods}`),
      ];
    },
  };

  async function watch(): Promise<void> {
    let unseen: unknown;
    while (!ended.signal.aborted) {
      const facts = await cluster.observe().catch((error: unknown) => {
        if (!(error instanceof NodeferryError) || error.problem.code !== 'ClusterUnreachable') throw error;
        unseen = error;
      });
      if (facts === undefined) continue;
      unseen = undefined;
      for (const [key, ready] of countReady(facts)) fewest.set(key, Math.min(fewest.get(key) ?? ready, ready));
      for (const { namespace, name, currentHealthy, desiredHealthy } of facts.budgets) {
        const key = `${namespace}/${name}`;
        if (currentHealthy < desiredHealthy)
          missing.set(key, Math.max(missing.get(key) ?? 0, desiredHealthy - currentHealthy));
      }
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    }
    if (unseen !== undefined) throw unseen;
  }
}

function countReady({ services }: ClusterFacts): ReadonlyMap<string, number> {
  return new Map(services.map(({ key, endpoints }) => [key, endpoints.filter(({ ready }) => ready).length]));
}
