import type { PodAction, PodActionResult } from '../core/eviction/actions.ts';
import type { PodRef } from '../core/model/pod.ts';
import type { Cluster, EvictionOutcome } from '../ports/cluster.ts';

/**
 * Does one action to one pod, on behalf of a run. Every action may be repeated. A refusal is a result, not an error: it tells why, and
 * whether and when to ask again. Whether the action is still due, and still the caller's, the caller has made sure of.
 * @throws NodeferryError when the API server can't be asked, or the role lacks a rule.
 */
export async function executePodAction(cluster: Cluster, action: PodAction, run: string): Promise<PodActionResult> {
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
export async function tryEviction(cluster: Pick<Cluster, 'evict'>, pod: PodRef): Promise<PodActionResult> {
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
