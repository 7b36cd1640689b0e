import { indexOf } from '../model/cluster-index.ts';
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

/** Whether a pod may leave a node that stays: every Service with policy Local that selects it has another ready endpoint there, apart from pods that leave too. */
export function isSpared(pod: PodFacts, leaving: ReadonlySet<string>, facts: ClusterFacts): boolean {
  const others = indexOf(facts)
    .podsOn(pod.node ?? '')
    .filter(({ uid }) => uid !== pod.uid && !leaving.has(uid));
  return servicesOf(pod, facts)
    .filter(({ externalTrafficPolicy }) => externalTrafficPolicy === 'Local')
    .every((service) => others.some((other) => isReadyEndpoint(other, service)));
}
