/** Somebody who is on call in the lab, and follows the runbook where ready pods are not listed as endpoints. */
import { CoreV1Api, DiscoveryV1Api, type KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';

/** Slices have changed within a second of their pods, unless their controller pauses, ms. */
const patienceMs = 5_000;

const byMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

/**
 * Called again and again, changes the Services of a namespace whose endpoints have not been their ready pods for longer than that:
 * then the endpoint slice controller retries at once. Alone it pauses for up to 1,000 s, here once with no endpoint at all for 8 minutes.
 * Does nothing while the API server does not answer.
 */
export function openEndpointOperator(config: KubeConfig, namespace: string): () => Promise<void> {
  const core = config.makeApiClient(CoreV1Api);
  const discovery = config.makeApiClient(DiscoveryV1Api);
  const differsSince = new Map<string, number>();

  async function observe(): Promise<ReadonlyMap<string, boolean>> {
    const { items: services } = await core.listNamespacedService({ namespace });
    const { items: pods } = await core.listNamespacedPod({ namespace });
    const { items: slices } = await discovery.listNamespacedEndpointSlice({ namespace });
    const ready = pods.filter(
      ({ metadata, status }) =>
        metadata?.deletionTimestamp === undefined &&
        status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true,
    );
    return new Map(
      services
        .filter(({ spec }) => spec?.selector !== undefined)
        .map(({ metadata, spec }) => {
          const selector = Object.entries(spec?.selector ?? {});
          const serving = ready.filter((pod) =>
            selector.every(([key, value]) => pod.metadata?.labels?.[key] === value),
          );
          const listed = slices
            .filter((slice) => slice.metadata?.labels?.['kubernetes.io/service-name'] === metadata?.name)
            .flatMap(({ endpoints }) => endpoints ?? [])
            .filter(({ conditions }) => conditions?.ready === true);
          const names = (all: readonly (string | undefined)[]) =>
            [...new Set(all)].toSorted((one, other) => (one ?? '').localeCompare(other ?? '')).join();
          const differs =
            names(serving.map((pod) => pod.metadata?.name)) !== names(listed.map(({ targetRef }) => targetRef?.name));
          return [metadata?.name ?? '', differs];
        }),
    );
  }

  return async () => {
    const seen = await observe().catch(() => new Map<string, boolean>());
    for (const [name, differs] of seen) {
      const since = differs ? (differsSince.get(name) ?? Date.now()) : undefined;
      if (since === undefined) differsSince.delete(name);
      else differsSince.set(name, since);
      if (since === undefined || Date.now() - since < patienceMs) continue;
      process.stderr.write(`* the endpoint slice controller pauses: Service ${name} is changed, so that it retries\n`);
      const body = { metadata: { annotations: { tried: new Date().toISOString() } } };
      await core.patchNamespacedService({ name, namespace, body }, byMerge);
      differsSince.delete(name);
    }
  };
}
