import { compareText } from '../text/format.ts';
import { indexOf, namespaceOf, onceFor } from './cluster-index.ts';
import { indexByLabels, indexBySelector, type Labels, matches } from './label-index.ts';
import type { PodFacts } from './pod.ts';
import { readyEndpoints } from './ready-endpoints.ts';
import type { EndpointFacts, ServiceFacts } from './service.ts';
import type { ClusterFacts } from './serving.ts';

const findPods = onceFor((pods: readonly PodFacts[]) => indexByLabels(pods));
const findServices = onceFor((services: readonly ServiceFacts[]) => indexBySelector(services));

/** True when the labels match the Service's selector. A Service without a selector selects no pod. */
export function selects(service: ServiceFacts, pod: Pick<PodFacts, 'namespace' | 'labels'>): boolean {
  return service.key.startsWith(`${pod.namespace}/`) && matches(service.selector, pod.labels);
}

/** Services that select the pod, sorted by key. */
export function servicesOf(
  pod: Pick<PodFacts, 'namespace' | 'labels'>,
  cluster: ClusterFacts,
): readonly ServiceFacts[] {
  const found = findServices(indexOf(cluster).servicesIn(pod.namespace))(pod.labels);
  return found.length < 2 ? found : found.toSorted((a, b) => compareText(a.key, b.key));
}

/** Pods that the Service selects, in any phase. */
export function podsOf(service: ServiceFacts, cluster: ClusterFacts): readonly PodFacts[] {
  return podsWith(service.selector, namespaceOf(service.key), cluster);
}

/** Pods in a namespace that have all of these labels, in any phase. */
export function podsWith(labels: Labels, namespace: string, cluster: ClusterFacts): readonly PodFacts[] {
  return findPods(indexOf(cluster).podsIn(namespace))(labels);
}

/** UIDs of the pods of the endpoints that satisfy a condition. Computed once per Service, because a cluster can have fifty thousand endpoints. */
const podsOfEndpoints = (isIncluded: (endpoint: EndpointFacts) => boolean) =>
  onceFor(({ endpoints }: ServiceFacts): ReadonlySet<string | undefined> => {
    const pods = new Set<string | undefined>();
    for (const endpoint of endpoints) if (isIncluded(endpoint)) pods.add(endpoint.podUid);
    return pods;
  });

const readyPods = podsOfEndpoints(({ ready, terminating }) => ready && !terminating);
const listedPods = podsOfEndpoints(({ ready, serving }) => ready || serving);
const namedPods = podsOfEndpoints(({ serving, terminating }) => !terminating || serving);

/** How many ready endpoints the Service has other than those of the pod. */
export function readyOtherThan({ uid }: Pick<PodFacts, 'uid'>, service: ServiceFacts, cluster: ClusterFacts): number {
  const ready = readyEndpoints(service, cluster);
  return ready.length - (countByPod(ready).get(uid) ?? 0);
}

const countByPod = onceFor((endpoints: readonly EndpointFacts[]) => {
  const counts = new Map<string | undefined, number>();
  for (const { podUid } of endpoints) counts.set(podUid, (counts.get(podUid) ?? 0) + 1);
  return counts;
});

/** True while the Service's EndpointSlices may send connections to the pod. */
export function isEndpoint({ uid }: Pick<PodFacts, 'uid'>, service: ServiceFacts): boolean {
  return listedPods(service).has(uid);
}

/** True while the pod is a ready endpoint of the Service. */
export function isReadyEndpoint({ uid }: Pick<PodFacts, 'uid'>, service: ServiceFacts): boolean {
  return readyPods(service).has(uid);
}

/**
 * True while the Service's EndpointSlices contain the pod, ready or not. A pod that is not ready now may still be ready for a kube-proxy that
 * has not received the change, and it may become ready again before the run acts on it.
 */
export function isListed({ uid }: Pick<PodFacts, 'uid'>, service: ServiceFacts): boolean {
  return namedPods(service).has(uid);
}
