/** How a cluster of the lab recovers from an outage, with somebody on call who follows the runbook. */
import { CoreV1Api, DiscoveryV1Api, type KubeConfig } from '@kubernetes/client-node';
import { matches } from '../../core/model/label-index.ts';
import { isReady, mergePatch } from './objects.ts';

/** A controller that pauses for longer than that is made to retry, ms: what is behind after an outage has caught up by then. */
const patienceMs = 20_000;

/** A cluster that has been well for so long, ms, has recovered. */
const calmMs = 10_000;

/** But not so soon, ms: nodes whose leases are not seen are NotReady after 40 s (`--node-monitor-grace-period` in the lab), and that is checked every 5 s. */
const soonestMs = 60_000;

/** What is watched while an outage and its consequences last. */
export interface Recovery {
  /** An outage begins. */
  readonly begin: () => void;
  /** Observes, and acts where the runbook says so. Called again and again. */
  readonly observe: () => Promise<void>;
  /** How long after that beginning the cluster was not well for the last time, ms, before it had recovered. */
  readonly lastedMs: () => number;
}

/**
 * Watches Nodes and the Services of a namespace. A cluster is well when its API server answers, its nodes are Ready and its Services have their
 * ready pods as endpoints. What is lost before is lost to Kubernetes: the node lifecycle controller finds nodes NotReady whose leases it can't see,
 * and the endpoint slice controller pauses for up to 1,000 s after failures (8 minutes were seen here), until the Service changes.
 */
export function openRecovery(config: KubeConfig, namespace: string): Recovery {
  const core = config.makeApiClient(CoreV1Api);
  const discovery = config.makeApiClient(DiscoveryV1Api);
  const pausedSince = new Map<string, number>();
  let begunAt = 0;
  let unwellAt = 0;
  let isOver = true;

  /** Services whose endpoints are not their ready pods. */
  async function findPaused(): Promise<readonly string[]> {
    const { items: services } = await core.listNamespacedService({ namespace });
    const { items: pods } = await core.listNamespacedPod({ namespace });
    const { items: slices } = await discovery.listNamespacedEndpointSlice({ namespace });
    const ready = pods.filter((pod) => pod.metadata?.deletionTimestamp === undefined && isReady(pod));
    return services
      .filter(({ metadata, spec }) => {
        const { selector } = spec ?? {};
        if (selector === undefined) return false;
        const serving = ready.filter((pod) => matches(selector, pod.metadata?.labels ?? {}));
        const listed = slices
          .filter((slice) => slice.metadata?.labels?.['kubernetes.io/service-name'] === metadata?.name)
          .flatMap(({ endpoints }) => endpoints ?? [])
          .filter(({ conditions }) => conditions?.ready === true);
        const podsListed = new Set(listed.map(({ targetRef }) => targetRef?.name));
        return serving.length !== podsListed.size || serving.some((pod) => !podsListed.has(pod.metadata?.name));
      })
      .map(({ metadata }) => metadata?.name ?? '');
  }

  async function endLongPauses(paused: readonly string[]): Promise<void> {
    for (const name of pausedSince.keys()) if (!paused.includes(name)) pausedSince.delete(name);
    for (const name of paused) {
      const since = pausedSince.get(name) ?? Date.now();
      pausedSince.set(name, since);
      if (Date.now() - since < patienceMs) continue;
      process.stderr.write(`* the endpoint slice controller pauses: Service ${name} is changed, so that it retries\n`);
      const body = { metadata: { annotations: { tried: new Date().toISOString() } } };
      await core.patchNamespacedService({ name, namespace, body }, mergePatch);
      pausedSince.delete(name);
    }
  }

  return {
    begin: () => {
      begunAt = Date.now();
      unwellAt = begunAt;
      isOver = false;
      pausedSince.clear();
    },
    observe: async () => {
      if (isOver) return;
      let isWell = false;
      try {
        const { items: nodes } = await core.listNode();
        const paused = await findPaused();
        await endLongPauses(paused);
        isWell = paused.length === 0 && nodes.every(isReady);
      } catch {
        // The API server does not answer.
      }
      const now = Date.now();
      if (!isWell) unwellAt = now;
      isOver = now - unwellAt > calmMs && now - begunAt > soonestMs;
    },
    lastedMs: () => unwellAt - begunAt,
  };
}
