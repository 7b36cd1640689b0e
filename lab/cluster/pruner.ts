/** A GitOps tool that prunes: it does what Argo CD with label tracking does to pods that a run has released. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, type V1Pod } from '@kubernetes/client-node';

/** Label by which Argo CD 2 recognizes what belongs to an application; Helm charts set it on pods too. */
export const INSTANCE_LABEL = 'app.kubernetes.io/instance';

const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

/** Argo CD follows changes by a watch and acts within seconds. */
const PRUNE_EVERY_MS = 1_000;

/** A running pruner. */
export interface Pruner {
  /** Names of the pods that it has deleted. */
  readonly pruned: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts it. Every pod that has the label and no owner is deleted, even if it still gets traffic, unless an annotation of the pod says `Prune=false`
 * and the pruner obeys it (argo-cd 37ee009, gitops-engine/pkg/cache/cluster.go, GetManagedLiveObjs, and pkg/sync/sync_context.go, isPruningDisabled).
 */
export function startPruner(kubeconfig: string, { obeys }: { readonly obeys: boolean }): Pruner {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const pruned: string[] = [];
  let isStopped = false;

  async function prune(): Promise<void> {
    const { items } = await core.listNamespacedPod({ namespace: 'default', labelSelector: INSTANCE_LABEL });
    for (const pod of items.filter((one) => isGarbage(one, obeys))) {
      const name = pod.metadata?.name ?? '';
      await core.deleteNamespacedPod({ name, namespace: 'default' });
      pruned.push(name);
    }
  }

  const working = (async () => {
    while (!isStopped) {
      // Failures are retried, because the API server may be down.
      await prune().catch(() => undefined);
      await sleep(PRUNE_EVERY_MS);
    }
  })();
  return {
    pruned,
    stop: async () => {
      isStopped = true;
      await working;
    },
  };
}

function isGarbage({ metadata }: V1Pod, obeys: boolean): boolean {
  if ((metadata?.ownerReferences ?? []).length > 0 || metadata?.deletionTimestamp !== undefined) return false;
  const options = (metadata?.annotations?.[SYNC_OPTIONS] ?? '').split(',').map((option) => option.trim());
  return !obeys || !options.includes('Prune=false');
}
