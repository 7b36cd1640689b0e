import { isFinished } from '../../core/model/pod.ts';
import { later, type SimWorkload, type World } from './world.ts';

/** How the creation of pods is refused, and when it is retried. */

/** Time after which the quota controller no longer counts a pod that has ended, ms: it learns of that when everybody else does, and then counts. */
const countedOutMs = 200;

/** UIDs that the quota counts now, and those of pods that have ended and that it is about to stop counting. */
const counted = new WeakMap<SimWorkload, Map<string, 'there' | 'ended'>>();

/**
 * Pods that the quota allows to be created now. It counts released and terminating pods like any others until they have ended, and every pod that
 * ends a moment longer (kubernetes pkg/quota/v1/evaluator/core/pods.go, QuotaV1Pod; pkg/controller/resourcequota, replenishQuota).
 */
export function roomInQuota(world: World, workload: SimWorkload): number {
  const { quota, creating } = workload;
  if (quota === undefined) return Number.POSITIVE_INFINITY;
  const uids = counted.get(workload) ?? new Map<string, 'there' | 'ended'>();
  counted.set(workload, uids);
  const live = new Set(world.pods.filter((pod) => pod.of === workload.name && !isFinished(pod)).map(({ uid }) => uid));
  for (const uid of live) uids.set(uid, 'there');
  for (const [uid, is] of uids) {
    if (live.has(uid) || is === 'ended') continue;
    uids.set(uid, 'ended');
    later(world, countedOutMs, () => uids.delete(uid));
  }
  return quota - creating - uids.size;
}

/** What the queue of the ReplicaSet controller knows about a ReplicaSet whose last attempt was refused. */
interface Refusal {
  readonly tries: number;
  readonly nextAt: number;
  /** Its pods, as they were at that attempt. */
  readonly seen: string;
  readonly says: string;
}

const refusals = new WeakMap<SimWorkload, Map<number, Refusal>>();

/**
 * Whether the ReplicaSet of that version tries to create pods now. One that was refused waits, twice as long each time, from 5 ms up to 1,000 s
 * (client-go util/workqueue/default_rate_limiters.go, DefaultTypedControllerRateLimiter). Only a change of itself or of a pod that it owns makes it
 * try at once. That a pod which it does not own is gone, or that a quota has room, does not (pkg/controller/replicaset/replica_set.go, updatePod,
 * deletePod, processNextWorkItem).
 */
export function triesNow(world: World, workload: SimWorkload, version: number): boolean {
  const last = refusals.get(workload)?.get(version);
  return last === undefined || world.clock.now() >= last.nextAt || last.seen !== observation(world, workload, version);
}

/** Records that its pods could not all be created. */
export function noteRefused(world: World, workload: SimWorkload, version: number): void {
  const known = refusals.get(workload) ?? new Map<number, Refusal>();
  refusals.set(workload, known);
  const tries = (known.get(version)?.tries ?? 0) + 1;
  const waitMs = Math.min(1_000_000, 5 * 2 ** (tries - 1));
  const { name, quota = 0 } = workload;
  const says = `pods "${name}-${version}-x" is forbidden: exceeded quota: ${name}, requested: pods=1, used: pods=${quota}, limited: pods=${quota}`;
  const seen = observation(world, workload, version);
  known.set(version, { tries, nextAt: world.clock.now() + waitMs, seen, says });
  later(world, waitMs, () => undefined);
}

/** It has the pods that it wants: the next refusal is its first. */
export function forgetRefusals(workload: SimWorkload, version: number): void {
  refusals.get(workload)?.delete(version);
}

/** Condition ReplicaFailure of the ReplicaSet of that version: the response to its last attempt; undefined when that succeeded. */
export function refusalOf(workload: SimWorkload, version: number): string | undefined {
  return refusals.get(workload)?.get(version)?.says;
}

/** Everything about its pods and itself that makes it reconcile when it changes. */
function observation(world: World, workload: SimWorkload, version: number): string {
  const owned = world.pods.filter(
    (pod) => pod.of === workload.name && pod.version === version && pod.ownerKind === 'ReplicaSet',
  );
  const objects = owned.map(
    ({ uid, labels, annotations, node, phase, ready, terminating, touched, endpointsRemoved }) => {
      return [uid, labels, annotations, node, phase, ready, terminating, touched, endpointsRemoved];
    },
  );
  return JSON.stringify([workload.replicas, workload.version, objects]);
}
