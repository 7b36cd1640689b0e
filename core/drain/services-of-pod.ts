import { indexOf } from '../model/cluster-index.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { compareText } from '../text/format.ts';

/** True when the labels satisfy the Service's selector; a Service without one selects no pod. */
export function selects(service: ServiceFacts, pod: Pick<PodFacts, 'namespace' | 'labels'>): boolean {
  const pairs = Object.entries(service.selector);
  return (
    pairs.length > 0 &&
    service.key.startsWith(`${pod.namespace}/`) &&
    pairs.every(([key, value]) => pod.labels[key] === value)
  );
}

/** Services that select the pod, by key. */
export function servicesOf(
  pod: Pick<PodFacts, 'namespace' | 'labels'>,
  cluster: ClusterFacts,
): readonly ServiceFacts[] {
  return indexOf(cluster)
    .servicesIn(pod.namespace)
    .filter((service) => selects(service, pod))
    .toSorted((a, b) => compareText(a.key, b.key));
}

/** Endpoints other than the pod's that are ready and stay. */
export function readyWithout(pod: Pick<PodFacts, 'uid'>, service: ServiceFacts): number {
  return service.endpoints.filter((endpoint) => endpoint.ready && !endpoint.terminating && endpoint.podUid !== pod.uid)
    .length;
}

/** True while the Service's EndpointSlices may send callers to the pod. */
export function isEndpoint(pod: Pick<PodFacts, 'uid'>, service: ServiceFacts): boolean {
  return service.endpoints.some((endpoint) => endpoint.podUid === pod.uid && (endpoint.ready || endpoint.serving));
}

/** True while the pod is a ready endpoint of the Service. */
export function isReadyEndpoint(pod: Pick<PodFacts, 'uid'>, service: ServiceFacts): boolean {
  return service.endpoints.some((endpoint) => endpoint.podUid === pod.uid && endpoint.ready && !endpoint.terminating);
}
