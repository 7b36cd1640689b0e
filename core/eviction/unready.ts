import { isListed, isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { endpointRemovalMs } from '../waits/formulas.ts';
import { keepTimes, type UnreadySince } from './actions.ts';
import { explainUnpropagated } from './outage.ts';

/** Since when the pods of a look that Services name have been seen not ready: those that are seen so for the first time as of `now`. */
export function trackUnready(
  known: UnreadySince,
  pods: readonly PodFacts[],
  cluster: ClusterFacts,
  now: number,
): UnreadySince {
  return keepTimes(
    known,
    pods.filter((pod) => isUnready(pod, cluster)),
    now,
  );
}

/**
 * True while kube-proxies may not have heard yet that the pod is not ready, and send to it. Readiness that went a moment ago may be back
 * in a moment, too: after an API server was away every pod is not ready until its kubelet has come through. A pod that no time is known
 * of has been seen for the first time.
 */
export function mayBeReady(
  pod: PodFacts,
  cluster: ClusterFacts,
  { policy, now, unreadySince }: { readonly policy: Policy; readonly now: number; readonly unreadySince: UnreadySince },
): boolean {
  if (!isEnabled(policy, 'remove-endpoints-before-eviction') || !isUnready(pod, cluster)) return false;
  if (now < (unreadySince[pod.uid] ?? now) + endpointRemovalMs(policy.waits)) return true;
  return explainUnpropagated(cluster, policy.waits, now) !== undefined;
}

function isUnready(pod: PodFacts, cluster: ClusterFacts): boolean {
  if (pod.terminating || pod.endpointsRemoved !== undefined) return false;
  const naming = servicesOf(pod, cluster).filter((service) => isListed(pod, service));
  return naming.length > 0 && !naming.some((service) => isReadyEndpoint(pod, service));
}
