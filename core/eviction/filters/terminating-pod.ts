import { formatTime } from '../../text/format.ts';
import { explainStuck, isStuckTerminating } from '../stuck-terminating.ts';
import type { PodFilter } from './filter.ts';

/**
 * Waits for pods that are terminating already, whoever asked for it. Long after its grace period a pod is not waited for any more when its
 * containers have stopped: only its object is left, which finalizers keep, and terminating the instance takes nothing from it. A pod whose
 * containers may still run is stuck: it may hold data or connections, so an operator has to decide. The exception is a pod on an unreachable
 * instance whose end alone can end the pod, if the run may terminate that instance.
 */
export const terminatingPod: PodFilter = (pod, { now, silentSince, endsUnasked }) => {
  if (!pod.terminating) return undefined;
  if (!isStuckTerminating(pod, now)) return { outcome: 'await', reason: 'it is terminating' };
  if (pod.stopped === true) {
    const kept = pod.finalizers === undefined ? '' : `, and finalizers keep its object (${pod.finalizers.join(', ')})`;
    return { outcome: 'skip', reason: `its containers have stopped${kept}` };
  }
  if (silentSince !== undefined && endsUnasked === true) {
    const reason = `the kubelet has not been heard from since ${formatTime(silentSince)}, so it ends with the instance`;
    return { outcome: 'skip', reason };
  }
  return { outcome: 'stuck-terminating', reason: explainStuck(pod, silentSince) };
};
