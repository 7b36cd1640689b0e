import { indexOf, onceFor } from './cluster-index.ts';
import type { PodFacts } from './pod.ts';
import type { EndpointFacts, ServiceFacts } from './service.ts';
import type { ClusterFacts } from './serving.ts';

/**
 * Endpoints that a Service can count on: ready, and their pod is there and was not told to stop. EndpointSlices follow the pods some
 * time later, and not at all while their controller is away.
 */
export function readyEndpoints(service: ServiceFacts, cluster: ClusterFacts): readonly EndpointFacts[] {
  return sortEndpoints(indexOf(cluster).podsByUid)(service).ready;
}

/** Endpoints that a Service lists as ready although their pod was told to stop or is gone. */
export function staleEndpoints(service: ServiceFacts, cluster: ClusterFacts): readonly EndpointFacts[] {
  return sortEndpoints(indexOf(cluster).podsByUid)(service).outdated;
}

const sortEndpoints = onceFor((podsByUid: ReadonlyMap<string, PodFacts>) =>
  onceFor(({ endpoints }: ServiceFacts) => {
    const ready: EndpointFacts[] = [];
    const outdated: EndpointFacts[] = [];
    for (const endpoint of endpoints) {
      const { podUid } = endpoint;
      if (!endpoint.ready) continue;
      const stays = podUid === undefined || podsByUid.get(podUid)?.terminating === false;
      if (!stays) outdated.push(endpoint);
      else if (!endpoint.terminating) ready.push(endpoint);
    }
    return { ready, outdated };
  }),
);
