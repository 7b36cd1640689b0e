import type { PodFacts } from '../model/pod.ts';
import type { WaitPolicy } from '../policy/policy.ts';
import { endpointRemovalMs } from '../waits/formulas.ts';
import type { RemovedSince, StaleSince, UnreadySince } from './actions.ts';
import type { DrainedAt } from './target-removal.ts';

/** Time for a kubelet to remove a pod that it has killed, ms. */
const clearingMs = 10_000;

/**
 * Longest time, ms, for which the endpoint slice controller does not retry a Service on which it failed: each failure doubles its pause, up
 * to this, and a lag of its own cache is a failure too. An API server that was unavailable, or a burst of changes, brings it to minutes, and
 * only another change of the Service's pods makes it retry sooner
 * (kubernetes pkg/controller/endpointslice/endpointslice_controller.go, `maxSyncBackOff`; a pause of more than 3 min was seen in the lab).
 */
const maxSyncPauseMs = 1_000_000;

/** Pods of which times are known, and these times. */
export interface Leaving {
  readonly pods: readonly PodFacts[];
  readonly removedAt: RemovedSince;
  readonly staleSince: StaleSince;
  readonly unreadySince: UnreadySince;
  readonly drainedAt: DrainedAt;
}

/**
 * True while pods are about to leave by themselves: those that were told to stop and are still within their grace period, those removed from
 * endpoints, or not ready, that wait until every kube-proxy has the update or their connections have drained, and those that the endpoint
 * slice controller has yet to take out. An earlier deadline would call an operator who can do nothing but wait.
 */
export function selfResolving(leaving: Leaving, waits: WaitPolicy, now: number): boolean {
  const { pods, removedAt, staleSince, unreadySince, drainedAt } = leaving;
  return pods.some((pod) => {
    const observedAt = removedAt[pod.uid] ?? unreadySince[pod.uid];
    const out = addTo(observedAt, endpointRemovalMs(waits)) ?? addTo(staleSince[pod.uid], maxSyncPauseMs);
    const by = pod.terminating ? pod.killedAt : out;
    const drained = drainedAt[pod.uid];
    return [by, drained].some((at) => at !== undefined && now < at + clearingMs);
  });
}

/** Time, ms, until the first removed pod that still waits for every kube-proxy may leave; undefined when none waits. */
export function nextDueMs(removedAt: RemovedSince, waits: WaitPolicy, now: number): number | undefined {
  const left = Object.values(removedAt)
    .map((at) => at + endpointRemovalMs(waits) - now)
    .filter((ms) => ms > 0);
  return left.length === 0 ? undefined : Math.min(...left);
}

function addTo(time: number | undefined, ms: number): number | undefined {
  return time === undefined ? undefined : time + ms;
}
