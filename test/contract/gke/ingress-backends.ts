/** Backend services with instance groups, as ingress-gce makes them for an Ingress, in a simulated Google. */
import type { ServiceFacts } from '../../../core/model/service.ts';
import { type Compute, serviceAt } from './balancers.ts';

const zones = ['europe-west1-b', 'europe-west1-c'];

/** The ID of the cluster, which ends the names. */
const uid = '5d10aaf301234567';

/** The groups that all Ingresses of the cluster share. */
export const instanceGroup = `k8s-ig--${uid}`;

/** The backend service of a port of the nodes. */
export const backendName = (port = 30_080, cluster = uid) => `k8s-be-${port}--${cluster}`;

/** What is different about a backend service. */
interface BackendChange {
  readonly port?: number;
  readonly cluster?: string;
  readonly service?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** An instance group in each zone with all VMs of the pool `web`. */
export async function makeSharedGroups({ send, url, inZone }: Compute): Promise<void> {
  for (const zone of zones) {
    await send('POST', `zones/${zone}/instanceGroups`, { name: instanceGroup });
    const instances = inZone(zone).map(({ name }) => ({ instance: url(`zones/${zone}/instances/${name}`) }));
    await send('POST', `zones/${zone}/instanceGroups/${instanceGroup}/addInstances`, { instances });
  }
}

/** A backend service with these groups, and its health check with the defaults of its controller (pkg/translator/healthchecks.go). */
export async function makeBackend({ send, url }: Compute, change: BackendChange = {}): Promise<void> {
  const { port = 30_080, cluster = uid, service = 'default/web', fields } = change;
  const name = backendName(port, cluster);
  const times = { checkIntervalSec: 60, timeoutSec: 60, healthyThreshold: 1, unhealthyThreshold: 10 };
  const httpHealthCheck = { port, requestPath: '/' };
  await send('POST', 'global/healthChecks', { name, type: 'HTTP', ...times, httpHealthCheck });
  await send('POST', 'global/backendServices', {
    name,
    description: JSON.stringify({ 'kubernetes.io/service-name': service, 'kubernetes.io/service-port': '80' }),
    loadBalancingScheme: 'EXTERNAL',
    protocol: 'HTTP',
    port,
    portName: `port${port}`,
    healthChecks: [url(`global/healthChecks/${name}`)],
    backends: zones.map((zone) => ({
      group: url(`zones/${zone}/instanceGroups/${instanceGroup}`),
      balancingMode: 'RATE',
      maxRatePerInstance: 1,
    })),
    ...fields,
  });
}

/** A Service of type NodePort whose Ingress names these backend services. */
export function behindIngress(groups: readonly string[], change: Partial<ServiceFacts> = {}): ServiceFacts {
  const nodePortBalancers = [{ by: 'Ingress default/shop', groups, hint: 'Have its pods as targets.' }];
  return serviceAt(undefined, { type: 'NodePort', healthCheckNodePort: 0, nodePortBalancers, ...change });
}
