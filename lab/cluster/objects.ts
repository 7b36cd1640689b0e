/** Creates a scenario's objects in the cluster. */
import { type KubeConfig, type KubernetesObject, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';
import { until } from '../process.ts';
import { isBalanced } from '../scenario.ts';

const FIELD_MANAGER = 'nodeferry-lab';
const APPLY_TIMEOUT_MS = 20_000;

/** Kinds that create pods. */
const WORKLOAD_KINDS: readonly string[] = [
  'Pod',
  'Deployment',
  'DaemonSet',
  'StatefulSet',
  'ReplicaSet',
  'Job',
  'CronJob',
];

/**
 * Whether an object must not exist before all nodes are ready. Pods created at the beginning would all be scheduled on the first node. And a node
 * that gets its provider ID while the load balancer of a Service is being created is never registered: the service controller creates the load
 * balancer with the earlier list of nodes, finds none to update when it learns of the node, and considers that done (k8s.io/cloud-provider v0.36.3,
 * controllers/service/controller.go, `nodeSyncService` and `lockedUpdateLoadBalancerHosts`).
 */
export function needsNodes(object: KubernetesObject): boolean {
  if (object.kind === 'Service') return isBalanced(object);
  return object.kind !== undefined && WORKLOAD_KINDS.includes(object.kind);
}

/** Applies objects in order with server-side apply; safe to repeat. */
export async function applyObjects(
  config: KubeConfig,
  objects: readonly KubernetesObject[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const api = KubernetesObjectApi.makeApiClient(config);
  for (const object of objects) {
    const what = `${object.kind} ${object.metadata?.name} cannot be applied`;
    // The API server is ready a moment before it serves every resource and namespace.
    await until(() => apply(api, object), { what, timeoutMs: APPLY_TIMEOUT_MS, signal });
  }
}

async function apply(api: KubernetesObjectApi, object: KubernetesObject): Promise<true> {
  await api.patch(object, undefined, undefined, FIELD_MANAGER, true, PatchStrategy.ServerSideApply);
  return true;
}
