import type { PodAction, PodActionResult } from '../core/eviction/actions.ts';
import type { PodRef } from '../core/model/pod.ts';
import type { EvictionOutcome, PodActions } from '../ports/cluster/pod-actions.ts';

/**
 * Does one action to one pod, on behalf of a run. Every action is safe to repeat. A rejection is a result, not an error: it says why, and
 * whether and when to ask again. The caller has made sure that the action is still due, and still its own.
 * @throws NodeferryError when the API server can't be asked, or the role lacks a rule.
 */
export async function executePodAction(cluster: PodActions, action: PodAction, run: string): Promise<PodActionResult> {
  const { kind, pod } = action;
  switch (kind) {
    case 'remove-endpoints':
      return { outcome: await cluster.removeEndpoints(pod, action.removeLabels, run) };
    case 'restore-endpoints':
      return { outcome: await cluster.restoreEndpoints(pod, run) };
    case 'adopt':
    case 'raiseDeletionCost':
    case 'restoreDeletionCost':
      return { outcome: await cluster[kind](pod, run) };
    case 'delete':
      return { outcome: await cluster.deletePod(pod) };
    case 'evict':
      return resultOf(await cluster.evict(pod, { dryRun: false }));
  }
}

/** Asks whether the pod could be evicted now; changes nothing. `done`: it could. @throws NodeferryError as executePodAction does. */
export async function tryEviction(cluster: Pick<PodActions, 'evict'>, pod: PodRef): Promise<PodActionResult> {
  return resultOf(await cluster.evict(pod, { dryRun: true }));
}

function resultOf(answer: EvictionOutcome): PodActionResult {
  switch (answer.outcome) {
    case 'evicted':
      return { outcome: 'done' };
    case 'gone':
      return { outcome: 'gone' };
    case 'blocked-by-budget':
      return { outcome: 'blocked', by: 'budget', reason: answer.message, retryAfterMs: answer.retryAfterMs };
    case 'retry':
      return { outcome: 'blocked', by: 'server', reason: answer.message, retryAfterMs: answer.retryAfterMs };
    case 'impossible':
      return { outcome: 'impossible', reason: answer.message };
  }
}
