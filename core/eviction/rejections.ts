/** Evictions that the API server has refused, and what follows. */
import { indexOf } from '../model/cluster-index.ts';
import type { PodRef } from '../model/pod.ts';
import type { Problem } from '../model/problem.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type BlockedPod, blockedPod, type PodAction, type PodActionResult } from './actions.ts';

/** An eviction that was refused. */
export interface RejectedEviction {
  /** The API server's words. */
  readonly message: string;
  /** Epoch ms: it is not asked for again before. */
  readonly againAt: number;
  /** A budget refused it, and may have room earlier. */
  readonly byBudget?: boolean;
}

/** Evictions that were refused, by pod UID. Plain data. */
export type RejectedEvictions = Readonly<Record<string, RejectedEviction>>;

/** What a round of actions came to. */
export interface RoundOutcome {
  /** A pod was touched. */
  readonly acted: boolean;
  /** Those that may not go yet, earlier refusals that still stand included. */
  readonly blocked: readonly BlockedPod[];
  /** What could not be protected, in words. */
  readonly unprotected: readonly string[];
  /** For the next round. */
  readonly rejected: RejectedEvictions;
  /** The first eviction that is refused for good. */
  readonly impossible?: Problem;
}

/** Where a step goes on in spite of an eviction that is refused for good it is asked for again: somebody may change the budgets, ms. */
const impossibleAgainMs = 60_000;

/** Notes what an action came to, at `now` (epoch ms): its refusal, or that there is none any more. */
export function noteRejection(
  known: RejectedEvictions,
  { uid }: Pick<PodRef, 'uid'>,
  result: PodActionResult,
  now: number,
): RejectedEvictions {
  const { [uid]: _, ...others } = known;
  switch (result.outcome) {
    case 'done':
    case 'gone':
    case 'not-ours':
      return others;
    case 'impossible':
      return { ...others, [uid]: { message: result.reason, againAt: now + impossibleAgainMs } };
    case 'blocked': {
      const againAt = now + result.retryAfterMs;
      const byBudget = result.by === 'budget' ? { byBudget: true } : {};
      return { ...others, [uid]: { message: result.reason, againAt, ...byBudget } };
    }
  }
}

/**
 * Leaves out what asks for an eviction that was refused a moment ago, until the time that the API server gave is over; to take a pod out of
 * its endpoints asks for one too, by dry run. One that a budget refused is asked for as soon as an observation shows that each of its budgets
 * has room.
 */
export function holdBackRejected(
  actions: readonly PodAction[],
  rejected: RejectedEvictions,
  facts: ClusterFacts,
  now: number,
): { readonly actions: readonly PodAction[]; readonly blocked: readonly BlockedPod[] } {
  const due: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const action of actions) {
    const rejection = asksForEviction(action, facts) ? rejected[action.pod.uid] : undefined;
    const waits = rejection !== undefined && now < rejection.againAt && !hasRoomNow(action.pod, rejection, facts);
    if (waits) blocked.push(blockedByRejection(action.pod, rejection, facts));
    else due.push(action);
  }
  return { actions: due, blocked };
}

/** A pod whose eviction was refused, with the figures of its budget where one refused it. */
export function blockedByRejection(
  pod: PodRef,
  { message, byBudget }: Pick<RejectedEviction, 'message' | 'byBudget'>,
  facts: ClusterFacts,
): BlockedPod {
  const blocked = blockedPod(pod, `its eviction is refused: ${message}`);
  const [budget] = byBudget === true ? indexOf(facts).budgetsOf(pod.uid) : [];
  if (budget === undefined) return blocked;
  const { namespace, name, desiredHealthy, currentHealthy } = budget;
  return { ...blocked, budget: `${namespace}/${name}`, needs: desiredHealthy, has: currentHealthy };
}

/** What an operator is called with when the API server refuses an eviction for good. */
export function explainImpossible(pod: PodRef, reason: string): Problem {
  return {
    code: 'Conflict',
    message: `the API server refuses to evict ${pod.namespace}/${pod.name}: ${reason}`,
    hint: 'Change what the API server names (for example, leave one PodDisruptionBudget that selects the pod), then resume; or abort.',
  };
}

/** A pod that was taken out of its endpoints already, and has come back into them, is taken out again without waiting. */
function asksForEviction({ kind, pod: { uid } }: PodAction, facts: ClusterFacts): boolean {
  return (
    kind === 'evict' ||
    (kind === 'remove-endpoints' && indexOf(facts).podsByUid.get(uid)?.endpointsRemoved === undefined)
  );
}

function hasRoomNow(pod: PodRef, { byBudget }: RejectedEviction, facts: ClusterFacts): boolean {
  if (byBudget !== true) return false;
  const budgets = indexOf(facts).budgetsOf(pod.uid);
  return budgets.length > 0 && budgets.every(({ disruptionsAllowed }) => disruptionsAllowed > 0);
}
