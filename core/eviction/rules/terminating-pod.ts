import { formatTime } from '../../text/format.ts';
import { explainStuck, isStuckTerminating } from '../stuck-terminating.ts';
import type { PodFilter } from './rule.ts';

/**
 * Waits for pods that are terminating already, whoever asked for it. One whose grace period is over by far is not waited for any more
 * when its containers have stopped: what is left is an object that finalizers keep, and ending the machine takes nothing from it. One
 * whose containers may still run hangs: it may hold data or connections, so that somebody has to look; unless nothing but the end of its
 * unreachable machine can end it, and the run may end that.
 */
export const terminatingPod: PodFilter = (pod, { now, silentSince, endsUnasked }) => {
  if (!pod.terminating) return undefined;
  if (!isStuckTerminating(pod, now)) return { outcome: 'await', reason: 'it is terminating' };
  if (pod.stopped === true) {
    const kept = pod.finalizers === undefined ? '' : `, and finalizers keep its object (${pod.finalizers.join(', ')})`;
    return { outcome: 'skip', reason: `its containers have stopped${kept}` };
  }
  if (silentSince !== undefined && endsUnasked === true) {
    const reason = `the kubelet has not been heard of since ${formatTime(silentSince)}, so it ends with the instance`;
    return { outcome: 'skip', reason };
  }
  return { outcome: 'stuck-terminating', reason: explainStuck(pod, silentSince) };
};
