/** Evictions and removals from endpoints that the API server has rejected, and what follows. */
import { indexOf } from '../model/cluster-index.ts';
import type { PodRef } from '../model/pod.ts';
import type { Problem } from '../model/problem.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { type BlockedPod, blockedPod, type PodAction, type PodActionResult } from './actions.ts';
import { countsOf } from './explain-budget.ts';

/** A rejected eviction, or removal from endpoints. */
export interface RejectedEviction {
  /** The message of the API server. */
  readonly message: string;
  /** Epoch ms: it is not tried again before. */
  readonly againAt: number;
  /** Admission denied the removal from endpoints; the message says so. */
  readonly byAdmission?: boolean;
  /** A budget rejected it, and may have room earlier. */
  readonly byBudget?: boolean;
}

/** Rejected evictions, by pod UID. Plain data. */
export type RejectedEvictions = Readonly<Record<string, RejectedEviction>>;

/** The result of a round of actions. */
export interface RoundOutcome {
  /** A pod was touched. */
  readonly acted: boolean;
  /** Those that may not leave yet, including earlier rejections that still apply. */
  readonly blocked: readonly BlockedPod[];
  /** What could not be protected, as text. */
  readonly unprotected: readonly string[];
  /** For the next round. */
  readonly rejected: RejectedEvictions;
  /** The first eviction that is rejected permanently. */
  readonly impossible?: Problem;
}

/** Retry interval of what is rejected permanently where a step continues in spite of it: somebody may change budgets or admission, ms. */
const impossibleAgainMs = 60_000;

const deniedHint =
  'Exempt nodeferry from that webhook or policy, or delete the pod: connections to it may be lost then';

/** Records the result of an action at `now` (epoch ms): its rejection, or that there is none any more. */
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
    case 'denied':
      return { ...others, [uid]: { message: result.reason, againAt: now + impossibleAgainMs, byAdmission: true } };
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
 * Defers actions that ask for an eviction that was rejected a moment ago, until the retry time of the API server has passed. A removal from
 * endpoints asks for an eviction too, by dry run. One that a budget rejected is due as soon as an observation shows that each of its budgets
 * has room. A removal that admission denied is deferred alike, also that of a pod which was removed before.
 */
export function deferRejected(
  actions: readonly PodAction[],
  rejected: RejectedEvictions,
  facts: ClusterFacts,
  now: number,
): { readonly actions: readonly PodAction[]; readonly blocked: readonly BlockedPod[] } {
  const due: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const action of actions) {
    const rejection = isRejected(action, rejected[action.pod.uid], facts) ? rejected[action.pod.uid] : undefined;
    const waits = rejection !== undefined && now < rejection.againAt && !hasRoomNow(action.pod, rejection, facts);
    if (waits) blocked.push(blockedByRejection(action.pod, rejection, facts));
    else due.push(action);
  }
  return { actions: due, blocked };
}

/** A pod whose eviction was rejected, with the numbers of its budget where one rejected it. */
export function blockedByRejection(
  pod: PodRef,
  { message, byBudget, byAdmission }: Omit<RejectedEviction, 'againAt'>,
  facts: ClusterFacts,
): BlockedPod {
  if (byAdmission === true) return blockedPod(pod, `${message}. ${deniedHint}`);
  const blocked = blockedPod(pod, `its eviction is refused: ${message}`);
  const [budget] = byBudget === true ? indexOf(facts).budgetsOf(pod.uid) : [];
  if (budget === undefined) return blocked;
  const { namespace, name, currentHealthy } = budget;
  return { ...blocked, budget: `${namespace}/${name}`, ...countsOf(budget, currentHealthy) };
}

/** What an operator is told when the API server rejects an eviction permanently. */
export function explainImpossible(pod: PodRef, reason: string): Problem {
  return {
    code: 'Conflict',
    message: `the API server refuses to evict ${pod.namespace}/${pod.name}: ${reason}`,
    hint: 'Change what the API server names (for example, leave one PodDisruptionBudget that selects the pod), then resume; or abort.',
  };
}

function isRejected(action: PodAction, rejection: RejectedEviction | undefined, facts: ClusterFacts): boolean {
  return rejection?.byAdmission === true ? action.kind === 'remove-endpoints' : asksForEviction(action, facts);
}

/** A pod that was removed from its endpoints already, and has been added to them again, is removed again without waiting. */
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
