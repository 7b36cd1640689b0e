import type { PodFacts } from '../model/pod.ts';
import { formatTime } from '../text/format.ts';

/**
 * A working kubelet has removed a pod this long after its grace period, ms. Karpenter uses the same time (pkg/utils/pod/scheduling.go,
 * IsStuckTerminating); the cluster autoscaler adds the grace period once more and 30 s (utils/drain, IsPodLongTerminating), and kubectl
 * drain waits without limit unless it is told `--skip-wait-for-delete-timeout`.
 */
const clearedWithinMs = 60_000;

/** Whether the pod was told to stop, should be gone by now, and is not. */
export function isStuckTerminating(
  { terminating, killedAt }: Pick<PodFacts, 'terminating' | 'killedAt'>,
  now: number,
): boolean {
  return terminating && killedAt !== undefined && now >= killedAt + clearedWithinMs;
}

/** Since when the pod should be gone, what may keep it, and what helps. */
export function explainStuck({ killedAt = 0, finalizers, node }: PodFacts, silentSince: number | undefined): string {
  const should = `it should have ended at ${formatTime(killedAt)}, its grace period included`;
  const kept = finalizers === undefined ? '' : `; finalizers ${finalizers.join(', ')} are on it`;
  if (silentSince !== undefined) {
    const silent = `the kubelet of ${node ?? 'its node'} has not been heard from since ${formatTime(silentSince)}`;
    return `${should}${kept}; ${silent}: fix it, or terminate the instance if it is lost`;
  }
  return `${should}${kept}; its containers still run: check them, the kubelet and the container runtime on ${node ?? 'its node'}`;
}
