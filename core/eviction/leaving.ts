import type { PodFacts } from '../model/pod.ts';
import type { WaitPolicy } from '../policy/policy.ts';
import { endpointRemovalMs } from '../waits/formulas.ts';
import type { LaggingSince, RemovedSince, UnreadySince } from './actions.ts';

/** Time for a kubelet to clear away a pod that it has killed, ms. */
const clearingMs = 10_000;

/**
 * Longest time, ms, that the endpoint slice controller leaves a Service alone on which it failed: each failure doubles its pause, up to
 * this, and a cache of its own that lags is a failure too. An API server that was away, or a burst of changes, brings it to minutes, and
 * nothing short of another change of the Service's pods makes it look sooner
 * (kubernetes pkg/controller/endpointslice/endpointslice_controller.go, `maxSyncBackOff`; a pause of more than 3 min was met in the lab).
 */
const maxSyncPauseMs = 1_000_000;

/** The pods that something is known of, and what. */
export interface Leaving {
  readonly pods: readonly PodFacts[];
  readonly removedAt: RemovedSince;
  readonly laggingSince: LaggingSince;
  readonly unreadySince: UnreadySince;
}

/**
 * True while pods are about to go by themselves: those that were told to stop and may still use their grace period, those out of
 * their endpoints, or not ready, that wait until every kube-proxy has heard, and those that the endpoint slice controller will yet take
 * out. A deadline that ended before them would call an operator who can do nothing but wait.
 */
export function selfResolving(leaving: Leaving, waits: WaitPolicy, now: number): boolean {
  const { pods, removedAt, laggingSince, unreadySince } = leaving;
  return pods.some((pod) => {
    const heardOf = removedAt[pod.uid] ?? unreadySince[pod.uid];
    const out = addTo(heardOf, endpointRemovalMs(waits)) ?? addTo(laggingSince[pod.uid], maxSyncPauseMs);
    const by = pod.terminating ? pod.killedAt : out;
    return by !== undefined && now < by + clearingMs;
  });
}

/** Time, ms, until the first of the unlisted pods that still wait for every kube-proxy may go; undefined when none waits. */
export function nextDueMs(removedAt: RemovedSince, waits: WaitPolicy, now: number): number | undefined {
  const left = Object.values(removedAt)
    .map((at) => at + endpointRemovalMs(waits) - now)
    .filter((ms) => ms > 0);
  return left.length === 0 ? undefined : Math.min(...left);
}

function addTo(time: number | undefined, ms: number): number | undefined {
  return time === undefined ? undefined : time + ms;
}
