import { indexOf } from '../model/cluster-index.ts';
import { servicesOf } from '../model/endpoints.ts';
import type { NodeRef } from '../model/node.ts';
import { type PodFacts, podRefOf } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText, count, listNames } from '../text/format.ts';
import { type BlockedPod, blockedPod, type PodAction, type RemovedSince, type UnreadySince } from './actions.ts';
import { classifyPod } from './classify-pod.ts';
import { type DisruptionLedger, openDisruptionLedger } from './disruptions.ts';
import {
  blockedByEndpoint,
  findEvictedWhileEndpoint,
  findEvictedWhileTarget,
  hasPropagated,
  needsRemoval,
  selectLabels,
} from './endpoint-removal.ts';
import type { PodVerdict } from './filters/filter.ts';
import { isNodeBound } from './node-bound.ts';
import { isCritical, priorityOf } from './priority.ts';
import { decideRemoveAgain } from './readded-labels.ts';
import { findReturns, type Returns } from './returns.ts';
import { explainStillEndpoint } from './stale-endpoints.ts';
import { blockedByHealthyTarget, blockedByTarget, type DrainedAt } from './target-removal.ts';
import { intolerantHint } from './tolerates-cordon.ts';
import { endsUnasked } from './unreachable.ts';
import { mayBeReady } from './unready.ts';
import type { UnreadyBefore } from './unready-before.ts';

/** Everything that decides the next action on a pod that has to leave. */
export interface StepQuestion {
  readonly facts: ClusterFacts;
  readonly policy: Policy;
  /** Epoch ms. */
  readonly now: number;
  /** When the pods that are out of their endpoints left them; see trackRemoved. */
  readonly removedAt: RemovedSince;
  /** Since when pods have been observed not ready; see trackUnready. */
  readonly unreadySince: UnreadySince;
  /** When the connections of pods that are targets have drained; see trackDrained. */
  readonly drainedAt: DrainedAt;
  /** Absent where nobody knows; see findLasting. */
  readonly unreadyBefore?: UnreadyBefore;
}

/** The same for the pods of one node. */
export interface EvictionQuestion extends StepQuestion {
  readonly node: NodeRef;
  readonly run: string;
  /** How often pods came back to the node, where that was counted; see trackReturns. */
  readonly returns?: Returns;
}

/** What to do now, what can't be done yet, and how much is left. */
interface EvictionRound {
  readonly actions: readonly PodAction[];
  readonly blocked: readonly BlockedPod[];
  /** Pods that are still on the node and must go, terminating ones included. */
  readonly remaining: number;
  /** All that remain run to completion and are not told to stop. */
  readonly completes: boolean;
  /** All that remain have been told to stop. */
  readonly ends: boolean;
  /** All that remain have been told to stop, and should have terminated. */
  readonly isStuckTerminating: boolean;
  /** Pods that are not waited for although their objects exist, each with the reason. */
  readonly leftovers: readonly string[];
  /** One sentence for status. */
  readonly reason: string;
}

/**
 * Decides one round of evictions on a node whose connections have been drained. Pods of low priority go first, then those that serve
 * nobody; system-critical pods go when all others have left. Budgets are enforced by counting the pods themselves, not by the
 * budget's status, which lags; each budget is charged for one pod per round.
 */
export function decideEvictionRound(question: EvictionQuestion): EvictionRound {
  const { node } = question;
  const pods = decidePods(question);
  const left = pods.filter(({ outcome }) => outcome !== 'skip');
  const plainLeave = left.some(({ pod, outcome }) => leaves(outcome) && !isCritical(pod));
  const rollback = openDisruptionLedger(question);
  const actions: PodAction[] = [];
  const blocked: BlockedPod[] = [];
  for (const { pod, outcome, reason } of left) {
    if (outcome === 'delete-finished') actions.push({ kind: 'delete', pod: podRefOf(pod) });
    if (outcome === 'refuse' || outcome === 'complete' || outcome === 'stuck-terminating')
      blocked.push(blockedPod(pod, reason));
    const returns =
      outcome === 'evict' && pod.endpointsRemoved === undefined ? findReturns(pod, question.returns) : undefined;
    if (returns !== undefined) {
      blocked.push(blockedPod(pod, explainReturns(returns)));
      continue;
    }
    if (outcome !== 'evict' || (plainLeave && isCritical(pod) && pod.endpointsRemoved === undefined)) continue;
    const step = decideStep(pod, question, rollback);
    if (step.action !== undefined) actions.push(step.action);
    if (step.blocked !== undefined) blocked.push(step.blocked);
  }
  const outcomes = new Set(left.map(({ outcome }) => outcome));
  return {
    actions,
    blocked,
    remaining: left.length,
    completes: outcomes.size === 1 && outcomes.has('complete'),
    ends: outcomes.size === 0 || (outcomes.size === 1 && outcomes.has('await')),
    isStuckTerminating: outcomes.size === 1 && outcomes.has('stuck-terminating'),
    leftovers: pods
      .filter(({ pod, outcome }) => outcome === 'skip' && !isNodeBound(pod))
      .map(({ pod, reason }) => `${pod.namespace}/${pod.name}: ${reason}`),
    reason: explain(node, left.length, blocked),
  };
}

/** The pods of the node in the order in which they should leave, each with its verdict. */
function decidePods({
  node,
  facts,
  policy,
  now,
}: EvictionQuestion): readonly (PodVerdict & { readonly pod: PodFacts })[] {
  const seen = indexOf(facts).nodes.get(node.name);
  const unasked = endsUnasked(seen, facts, policy, now);
  const context = { drain: policy.drain, now, silentSince: seen?.unknownSince, endsUnasked: unasked };
  return podsInOrder(node, facts).map((pod) => ({ pod, ...classifyPod(pod, context) }));
}

function leaves(outcome: PodVerdict['outcome']): boolean {
  return outcome === 'evict' || outcome === 'await';
}

/**
 * Decides the next action on one pod: removal from endpoints first where it is needed, then, once that has propagated and its own targets have
 * drained, the eviction.
 */
export function decideStep(
  pod: PodFacts,
  question: StepQuestion,
  rollback: DisruptionLedger,
): { readonly action?: PodAction; readonly blocked?: BlockedPod } {
  const { facts, policy, now, removedAt } = question;
  const again = decideRemoveAgain(pod, facts);
  if (again !== undefined) return again;
  if (pod.endpointsRemoved !== undefined) {
    const listed = blockedByEndpoint(pod, facts, policy.waits, now);
    if (listed !== undefined) return { blocked: listed };
    if (!hasPropagated(pod, facts, removedAt, policy.waits, now)) return {};
    const target = blockedByTarget(pod, question);
    return target === undefined ? { action: { kind: 'evict', pod: podRefOf(pod) } } : { blocked: target };
  }
  if (mayBeReady(pod, facts, question)) return {};
  const target = blockedByHealthyTarget(pod, facts, policy);
  if (target !== undefined) return { blocked: target };
  const needsEndpointRemoval = needsRemoval(pod, facts, policy);
  const listed = needsEndpointRemoval ? undefined : explainStillEndpoint(pod, facts, policy, now);
  if (listed !== undefined) return { blocked: listed };
  const verdict = rollback.charge(pod);
  if (verdict !== undefined) return { blocked: verdict };
  if (!needsEndpointRemoval) return { action: evictAsItIs(pod, question) };
  const removeLabels = selectLabels(pod, facts);
  return { action: { kind: 'remove-endpoints', pod: podRefOf(pod), removeLabels } };
}

/** The eviction of a pod that is not removed from endpoints first, with what that does not protect. */
export function evictAsItIs(pod: PodFacts, { facts, policy }: Pick<StepQuestion, 'facts' | 'policy'>): PodAction {
  const sent = findEvictedWhileTarget(pod, facts, policy);
  if (sent !== undefined) {
    const unprotected = `pod ${pod.namespace}/${pod.name} left while ${listNames(sent.groups)} sent to it: ${sent.why}`;
    return { kind: 'evict', pod: podRefOf(pod), unprotected };
  }
  const leaves = findEvictedWhileEndpoint(pod, facts, policy);
  if (leaves === undefined) return { kind: 'evict', pod: podRefOf(pod) };
  const { services, why } = leaves;
  const unprotected = `pod ${pod.namespace}/${pod.name} left while ${listNames(services)} listed it: ${why}`;
  return { kind: 'evict', pod: podRefOf(pod), unprotected };
}

function podsInOrder(node: NodeRef, facts: ClusterFacts): readonly PodFacts[] {
  const behindService = (pod: PodFacts): number => (servicesOf(pod, facts).length > 0 ? 1 : 0);
  return indexOf(facts)
    .podsOn(node.name)
    .map((pod) => ({ pod, rank: behindService(pod), key: `${pod.namespace}/${pod.name}` }))
    .toSorted((a, b) => priorityOf(a.pod) - priorityOf(b.pod) || a.rank - b.rank || compareText(a.key, b.key))
    .map(({ pod }) => pod);
}

function explainReturns(times: number): string {
  return `it tolerates the taint of cordoned nodes, and such pods came here ${times} times after an eviction. ${intolerantHint}`;
}

function explain(node: NodeRef, remaining: number, blocked: readonly BlockedPod[]): string {
  const first = blocked[0];
  const left = `${count(remaining, 'pod')} left on ${node.name}`;
  if (first !== undefined) return `${left}; ${first.pod.namespace}/${first.pod.name}: ${first.reason}`;
  return remaining > 0 ? left : `${node.name} has no pod left`;
}
