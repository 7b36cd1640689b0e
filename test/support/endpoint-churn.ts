import { CoreV1Api, DiscoveryV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { Lab } from '../../lab/lab.ts';

const name = 'churn';
const namespace = 'default';

/** Well below kube-proxy's smallest time between two syncs, ms. */
const everyMs = 200;

/** Endpoints that change all the time. */
export interface EndpointChurn {
  stop(): Promise<void>;
}

/**
 * Changes the endpoints of a Service that nobody uses several times a second, as the many Services of a busy cluster do together.
 * kube-proxy then writes its rules once a second and no sooner (its `minSyncPeriod`, 1 s by default), so that it hears of a
 * pod's end up to a second late. In a cluster where nothing else happens it hears of it sooner than the pod itself.
 */
export async function startEndpointChurn(lab: Lab): Promise<EndpointChurn> {
  const config = new KubeConfig();
  config.loadFromFile(lab.kubeconfigPath);
  const services = config.makeApiClient(CoreV1Api);
  const slices = config.makeApiClient(DiscoveryV1Api);
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
  await services.createNamespacedService({ namespace, body: { metadata: { name }, spec: { ports } } });
  const labels = { 'kubernetes.io/service-name': name };
  // Addresses of TEST-NET-1 (RFC 5737): nothing is there, and nobody sends.
  const endpoints = (turn: number) => [{ addresses: [`192.0.2.${1 + (turn % 2)}`] }];
  await slices.createNamespacedEndpointSlice({
    namespace,
    body: { metadata: { name, labels }, addressType: 'IPv4', ports, endpoints: endpoints(0) },
  });
  const stopping = new AbortController();
  const churning = (async () => {
    for (let turn = 1; !stopping.signal.aborted; turn++) {
      await slices.patchNamespacedEndpointSlice(
        { name, namespace, body: { endpoints: endpoints(turn) } },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  // A failure is told by stop.
  churning.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await slices.deleteNamespacedEndpointSlice({ name, namespace });
      await services.deleteNamespacedService({ name, namespace });
      await churning;
    },
  };
}
