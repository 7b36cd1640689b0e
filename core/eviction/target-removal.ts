/** Pods that are targets of load balancers leave these first, after they were removed from endpoints and before they are evicted. */
import { isReadyEndpoint, servicesOf } from '../model/endpoints.ts';
import type { PodFacts } from '../model/pod.ts';
import { isLeaving, podGroupsOf } from '../model/pod-targets.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { targetsOfPod } from '../model/targets-of.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { formatDuration, listNames } from '../text/format.ts';
import { connectionDrainMs } from '../waits/formulas.ts';
import { type BlockedPod, blockedPod } from './actions.ts';

/** When (epoch ms) the connections of pods, by UID, that have left their target groups have drained. Plain data. */
export type DrainedAt = Readonly<Record<string, number>>;

/** What is known when times of pods are tracked. */
interface TrackingQuestion {
  readonly facts: ClusterFacts;
  readonly policy: Policy;
  readonly now: number;
}

/**
 * When the connections of the pods that were removed from endpoints have drained, counted from the first observation in which every target group
 * shows them as draining, unused or absent. A pod that is a live target again has no time.
 */
export function trackDrained(
  known: DrainedAt,
  pods: readonly PodFacts[],
  { facts, policy, now }: TrackingQuestion,
): DrainedAt {
  return Object.fromEntries(
    pods.flatMap((pod) => {
      const groups = pod.endpointsRemoved === undefined ? [] : podGroupsOf(pod, facts);
      if (groups.length === 0 || groups.some((group) => isLiveIn(pod, group))) return [];
      return [[pod.uid, known[pod.uid] ?? now + connectionDrainMs(groups, policy)]];
    }),
  );
}

/**
 * Why a pod that was removed from endpoints may not be evicted yet: a target group still sends to it, its connections have time left, or it is
 * still listed as draining. Undefined once all of that is over, and for a pod that is no target.
 */
export function blockedByTarget(
  pod: PodFacts,
  { facts, policy, now, drainedAt }: TrackingQuestion & { readonly drainedAt: DrainedAt },
): BlockedPod | undefined {
  if (!isEnabled(policy, 'wait-for-deregistration')) return undefined;
  const groups = podGroupsOf(pod, facts);
  if (groups.length === 0) return undefined;
  const live = groups.filter((group) => isLiveIn(pod, group));
  if (live.length > 0)
    return blockedPod(pod, `it was removed from endpoints but is still a target of ${describeTargets(pod, live)}`);
  const until = drainedAt[pod.uid];
  const left = until === undefined ? connectionDrainMs(groups, policy) : until - now;
  const names = listNames(groups.map(({ name }) => name));
  if (left > 0)
    return blockedPod(pod, `its connections through ${names} may continue for another ${formatDuration(left)}`);
  const draining = groups.filter((group) => targetsOfPod(pod, group).some(({ state }) => state === 'draining'));
  return draining.length === 0 ? undefined : blockedPod(pod, `it drains from ${describeTargets(pod, draining)}`);
}

/**
 * Why a pod that no Service lists as ready may not be evicted: a load balancer goes by its own health checks, or by the containers and not the
 * readiness gates of the pod, and still sends to it.
 */
export function blockedByHealthyTarget(pod: PodFacts, facts: ClusterFacts, policy: Policy): BlockedPod | undefined {
  if (!isEnabled(policy, 'wait-for-deregistration')) return undefined;
  if (servicesOf(pod, facts).some((service) => isReadyEndpoint(pod, service))) return undefined;
  const sending = podGroupsOf(pod, facts).filter((group) =>
    targetsOfPod(pod, group).some(({ state }) => state === 'healthy'),
  );
  if (sending.length === 0) return undefined;
  const why = pod.closedGate === undefined ? 'it is not Ready' : `its readiness gate ${pod.closedGate} is not True`;
  return blockedPod(pod, `${why}, and ${listNames(sending.map(({ name }) => name))} still sends to it`);
}

/** Whether a load balancer has the pod as a target, or is about to. */
export function isPodTarget(pod: PodFacts, facts: ClusterFacts): boolean {
  return podGroupsOf(pod, facts).length > 0;
}

function isLiveIn(pod: PodFacts, group: TargetGroupFacts): boolean {
  return targetsOfPod(pod, group).some((target) => !isLeaving(target));
}

function describeTargets(pod: PodFacts, groups: readonly TargetGroupFacts[]): string {
  return listNames(
    groups.map((group) => {
      const told = targetsOfPod(pod, group).map(({ state, reason }) =>
        reason === undefined ? state : `${state}, ${reason}`,
      );
      return `${group.name} (${told.join('; ')})`;
    }),
  );
}
