import { explainHang, hangs } from '../hanging.ts';
import type { DrainRule } from './rule.ts';

/**
 * Waits for pods that are terminating already, whoever asked for it. One whose grace period is over by far is not waited for any more
 * when its containers have stopped: what is left is an object that finalizers keep, and ending the machine takes nothing from it. One
 * whose containers may still run hangs: it may hold data or connections, so that somebody has to look.
 */
export const terminatingPod: DrainRule = (pod, { now, silentSince }) => {
  if (!pod.terminating) return undefined;
  if (!hangs(pod, now)) return { outcome: 'await', reason: 'it is terminating' };
  if (pod.stopped === true) {
    const kept = pod.finalizers === undefined ? '' : `, and finalizers keep its object (${pod.finalizers.join(', ')})`;
    return { outcome: 'skip', reason: `its containers have stopped${kept}` };
  }
  return { outcome: 'hangs', reason: explainHang(pod, silentSince) };
};
