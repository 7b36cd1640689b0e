import { explainDeniedRemoval, type PodAction, type PodActionResult } from '../core/eviction/actions.ts';
import type { PodRef } from '../core/model/pod.ts';
import { NodeferryError } from '../core/model/problem.ts';
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
      return await removeEndpoints(cluster, action, run);
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

/** A denial by admission is a result too: it concerns one workload, not the step. */
async function removeEndpoints(
  cluster: PodActions,
  { pod, removeLabels }: Extract<PodAction, { kind: 'remove-endpoints' }>,
  run: string,
): Promise<PodActionResult> {
  try {
    return { outcome: await cluster.removeEndpoints(pod, removeLabels, run) };
  } catch (error) {
    if (!(error instanceof NodeferryError) || error.problem.code !== 'AdmissionDenied') throw error;
    return { outcome: 'denied', reason: explainDeniedRemoval(error.problem.message) };
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
