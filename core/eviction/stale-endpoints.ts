import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import { staleEndpoints } from '../model/ready-endpoints.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { type BlockedPod, blockedPod } from './actions.ts';
import { explainUnpropagated } from './outage.ts';

/**
 * What holds a pod that would be told to stop without being unlisted: kube-proxies that don't listen again yet, or a Service of it that lists
 * as ready a pod that terminates or is gone. Its endpoint slices lag, or their controller is down. Either way callers would be sent to
 * this one too, for longer than its preStop lets it serve. Undefined when all is up to date. Endpoints whose readiness their Service
 * ignores tell nothing.
 */
export function explainStillEndpoint(
  pod: PodFacts,
  cluster: ClusterFacts,
  policy: Policy,
  now: number,
): BlockedPod | undefined {
  if (!isEnabled(policy, 'remove-endpoints-before-eviction')) return undefined;
  for (const service of servicesOf(pod, cluster)) {
    if (!isReadyEndpoint(pod, service)) continue;
    const reason = explainUnpropagated(cluster, policy.waits, now) ?? explainLag(service, cluster);
    if (reason !== undefined) return blockedPod(pod, reason);
  }
  return undefined;
}

function explainLag(service: ServiceFacts, cluster: ClusterFacts): string | undefined {
  if (service.publishNotReadyAddresses) return undefined;
  const [left] = staleEndpoints(service, cluster);
  if (left === undefined) return undefined;
  return `the endpoint slices of ${service.key} lag: they list ${left.podName ?? ''} as ready, which was told to stop`;
}
