import type { PodFacts } from '../model/pod.ts';
import type { WaitPolicy } from '../policy/policy.ts';
import { unlistMs } from '../waits/formulas.ts';
import type { UnlistedSince } from './actions.ts';

/** Time for a kubelet to clear away a pod that it has killed, ms. */
const clearingMs = 10_000;

/**
 * True while pods are about to go by themselves: those that were told to stop and may still use their grace period, and those out of
 * their endpoints that wait until every kube-proxy has heard. A deadline that ended before them would call an operator who can do
 * nothing but wait.
 */
export function leaveByThemselves(
  pods: readonly PodFacts[],
  unlistedAt: UnlistedSince,
  waits: WaitPolicy,
  now: number,
): boolean {
  return pods.some((pod) => {
    const by = pod.terminating ? pod.killedAt : addTo(unlistedAt[pod.uid], unlistMs(waits));
    return by !== undefined && now < by + clearingMs;
  });
}

/** Time, ms, until the first of the unlisted pods that still wait for every kube-proxy may go; undefined when none waits. */
export function untilNextMayGo(unlistedAt: UnlistedSince, waits: WaitPolicy, now: number): number | undefined {
  const left = Object.values(unlistedAt)
    .map((at) => at + unlistMs(waits) - now)
    .filter((ms) => ms > 0);
  return left.length === 0 ? undefined : Math.min(...left);
}

function addTo(time: number | undefined, ms: number): number | undefined {
  return time === undefined ? undefined : time + ms;
}
