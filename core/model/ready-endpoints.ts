import { indexOf, onceFor } from './cluster-index.ts';
import type { PodFacts } from './pod.ts';
import type { EndpointFacts, ServiceFacts } from './service.ts';
import type { ClusterFacts } from './serving.ts';

/**
 * Endpoints that are ready and whose pod exists and is not terminating. EndpointSlices follow the pods with a delay, and not at all while
 * their controller is down.
 */
export function readyEndpoints(service: ServiceFacts, cluster: ClusterFacts): readonly EndpointFacts[] {
  return sortEndpoints(indexOf(cluster).podsByUid)(service).ready;
}

/** Endpoints that are ready in the EndpointSlices although their pod is terminating or gone. */
export function staleEndpoints(service: ServiceFacts, cluster: ClusterFacts): readonly EndpointFacts[] {
  return sortEndpoints(indexOf(cluster).podsByUid)(service).stale;
}

const sortEndpoints = onceFor((podsByUid: ReadonlyMap<string, PodFacts>) =>
  onceFor(({ endpoints }: ServiceFacts) => {
    const ready: EndpointFacts[] = [];
    const stale: EndpointFacts[] = [];
    for (const endpoint of endpoints) {
      const { podUid } = endpoint;
      if (!endpoint.ready) continue;
      const stays = podUid === undefined || podsByUid.get(podUid)?.terminating === false;
      if (!stays) stale.push(endpoint);
      else if (!endpoint.terminating) ready.push(endpoint);
    }
    return { ready, stale };
  }),
);
