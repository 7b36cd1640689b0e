/** Decides how a node is emptied, from one observation and what earlier ones have left behind. */
import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { count } from '../text/format.ts';
import { findRefused, hintRefused, noteRefused, type RefusedWorkload } from '../waits/refused.ts';
import type { BlockedPod, PodAction } from './actions.ts';
import { decideEvictionRound, type EvictionQuestion } from './eviction-round.ts';
import { hintBudget } from './explain-budget.ts';
import { nextDueMs, selfResolving } from './leaving.ts';
import { decideEarlyRemoval, type EndpointRemoval } from './leftover-endpoints.ts';
import { type PodTimes, trackPods } from './pod-times.ts';
import type { RejectedEvictions, RoundOutcome } from './rejections.ts';
import { type Returns, trackReturns } from './returns.ts';
import type { UnreadyBefore } from './unready-before.ts';

/** Pods start and end within seconds, and an observation of the cluster is cheap, ms. */
const maxPollIntervalMs = 500;

/** Time to the observation after a pod was removed from its endpoints, to see it out of them, ms. */
const afterRemovalMs = 200;

/** Maximum number of reports about what could not be protected on a node. */
const maxReported = 20;

/** One observation of a node that is to be emptied. */
export interface EvictionFacts {
  readonly node: NodeRef;
  readonly facts: ClusterFacts;
  readonly policy: Policy;
  readonly run: string;
  /** Epoch ms. */
  readonly now: number;
  /** Epoch ms at which the step began. */
  readonly since: number;
  /** See findLasting. */
  readonly unreadyBefore?: UnreadyBefore;
}

/** What an observation leaves behind for the next one. Plain data. */
export interface EvictionCheckpoint extends PodTimes {
  /** Absent before the first observation. */
  readonly returns?: Returns;
  /** A pod of the node was touched. */
  readonly begun: boolean;
  /** Epoch ms since when every observation has found that the node should not have been excluded; absent while none has. */
  readonly revokedSince?: number;
  readonly rejected: RejectedEvictions;
  /** What could not be protected, as text. */
  readonly unprotected: readonly string[];
}

/** What is to be done about the pods of a node. */
export interface EvictionDecision {
  /**
   * - `empty`: no pod that can go is left; the step ends once the volumes are detached.
   * - `stuck`: all that are left should have ended; the step ends if the node is unreachable.
   * - `evict`: there is more to do, or to wait for.
   */
  readonly verdict: 'empty' | 'stuck' | 'evict';
  readonly actions: readonly PodAction[];
  /** What can be done already about the endpoints that eviction leaves; absent while pods have yet to be told to stop. */
  readonly early?: Pick<EndpointRemoval, 'taint' | 'actions'>;
  /** Nothing may be done before the load balancers were asked whether the node is deregistered. */
  readonly asksLoadBalancers: boolean;
  readonly blocked: readonly BlockedPod[];
  /** Pods that are left, terminating ones included. */
  readonly remaining: number;
  /** All that are left run to completion. */
  readonly completes: boolean;
  /** Part of it resolves by itself in a bounded time. */
  readonly selfResolving: boolean;
  /** Pods that are not waited for, each with the reason. */
  readonly leftovers: readonly string[];
  readonly reason: string;
  readonly checkpoint: EvictionCheckpoint;
}

/** The end of a round whose actions have been executed. */
interface EvictionRoundEnd {
  readonly reason: string;
  readonly hint?: string;
  readonly blocked: readonly BlockedPod[];
  /** Workloads whose replacements the API server refuses. */
  readonly refused: readonly RefusedWorkload[];
  readonly selfResolving: boolean;
  readonly requeueAfterMs: number;
  readonly checkpoint: EvictionCheckpoint;
}

/** Decides what to do now about the pods of a node. */
export function decideEviction(question: EvictionFacts, known: EvictionCheckpoint): EvictionDecision {
  const { node, facts, policy, run, now, since } = question;
  const pods = indexOf(facts).podsOn(node.name);
  const times = trackPods(known, pods, question);
  const returns = trackReturns(known.returns, pods);
  const round = decideEvictionRound({ ...question, ...times, returns });
  const begun = known.begun || pods.some((pod) => pod.endpointsRemoved?.by === run);
  const completes = round.completes && now - since < policy.waits.deadlines.jobCompletionMs;
  return {
    verdict: round.remaining === 0 ? 'empty' : round.isStuckTerminating ? 'stuck' : 'evict',
    actions: round.actions,
    ...(round.ends ? { early: decideEarlyRemoval({ node, facts, policy, run, now, ...times }) } : {}),
    asksLoadBalancers: !begun || mayMeetCallers(node, round.actions, facts),
    blocked: round.blocked,
    remaining: round.remaining,
    completes: round.completes,
    selfResolving: completes || selfResolving({ pods, ...times }, policy.waits, now),
    leftovers: round.leftovers,
    reason: round.reason,
    checkpoint: { ...times, returns, begun, rejected: known.rejected, unprotected: known.unprotected },
  };
}

/** Decides the actions again, from a newer observation; none where somebody has removed the exclude label from the node. */
export function decideEvictionAgain(question: EvictionQuestion): readonly PodAction[] {
  if (indexOf(question.facts).nodes.get(question.node.name)?.excluded === false) return [];
  return decideEvictionRound(question).actions;
}

/** Concludes an executed round. `waitsFor`: what an empty node still waits for. */
export function concludeEvictionRound(
  decision: EvictionDecision,
  outcome: RoundOutcome,
  {
    node,
    facts,
    policy,
    now,
    waitsFor,
  }: Omit<EvictionFacts, 'run' | 'since' | 'unreadyBefore'> & { readonly waitsFor?: string },
): EvictionRoundEnd {
  const { checkpoint, remaining } = decision;
  const blocked = [...decision.blocked, ...outcome.blocked];
  const refused = findRefusedOf(blocked, facts);
  const hint = hintRefused(refused) ?? hintBudget(blocked);
  const [first] = blocked;
  const left = `${count(remaining, 'pod')} left on ${node.name}`;
  const reason =
    first === undefined
      ? (waitsFor ?? decision.reason)
      : `${left}; ${first.pod.namespace}/${first.pod.name}: ${first.reason}${noteRefused(refused)}`;
  const actions = [...decision.actions, ...(decision.early?.actions ?? [])];
  return {
    reason,
    ...(hint === undefined ? {} : { hint }),
    blocked,
    refused,
    // What was told to leave just now is terminating only in the next observation.
    selfResolving: decision.selfResolving || outcome.acted,
    requeueAfterMs: decision.completes
      ? policy.waits.pollIntervalMs
      : nextPollMs(actions, checkpoint.removedAt, policy, now),
    checkpoint: {
      ...checkpoint,
      begun: checkpoint.begun || outcome.acted,
      rejected: outcome.rejected,
      unprotected: [...checkpoint.unprotected, ...outcome.unprotected].slice(0, maxReported),
    },
  };
}

/** Whether to empty a node that may have been excluded wrongly. */
export type StartVerdict =
  | { readonly verdict: 'evict' }
  | { readonly verdict: 'wait'; readonly reason: string; readonly revokedSince: number }
  | { readonly verdict: 'restore'; readonly reason: string };

/**
 * Whether eviction may begin on a node, before its first pod is touched. `lost` says why it should not have been excluded: it is restored
 * when observations have agreed on that for a while. `now` is the time of this one.
 */
export function decideStart(
  lost: string | undefined,
  { revokedSince: known }: Pick<EvictionCheckpoint, 'revokedSince'>,
  now: number,
  { waits }: Pick<Policy, 'waits'>,
): StartVerdict {
  if (lost === undefined) return { verdict: 'evict' };
  const revokedSince = known ?? now;
  if (now > revokedSince && now - revokedSince >= waits.stabilizationMs) return { verdict: 'restore', reason: lost };
  return { verdict: 'wait', reason: `nothing is evicted: ${lost}`, revokedSince };
}

/**
 * Whether load balancers have to be asked before the actions: one action is on a pod that is still in its Services' endpoints, or somebody
 * has removed the exclude label from the node. A pod that was removed from endpoints serves nobody, and load balancers were asked before that.
 */
export function mayMeetCallers(
  node: Pick<NodeRef, 'name'>,
  actions: readonly PodAction[],
  facts: ClusterFacts,
): boolean {
  const { nodes, podsByUid } = indexOf(facts);
  if (actions.length === 0) return false;
  if (nodes.get(node.name)?.excluded !== true) return true;
  return actions.some(({ pod: { uid } }) => podsByUid.get(uid)?.endpointsRemoved === undefined);
}

/** How often pods of a node are observed, ms. */
export function podPollIntervalMs({ waits }: Pick<Policy, 'waits'>): number {
  return Math.min(maxPollIntervalMs, waits.pollIntervalMs);
}

/**
 * Time, ms, to the next observation after these actions: shortly after a pod was removed from its endpoints, else when the next of those
 * that are out of them may go.
 */
export function nextPollMs(
  actions: readonly PodAction[],
  removedAt: PodTimes['removedAt'],
  policy: Pick<Policy, 'waits'>,
  now: number,
): number {
  const interval = podPollIntervalMs(policy);
  if (actions.some(({ kind }) => kind === 'remove-endpoints')) return Math.min(afterRemovalMs, interval);
  return Math.min(nextDueMs(removedAt, policy.waits, now) ?? Number.POSITIVE_INFINITY, interval);
}

/** Workloads of pods that may not leave because the API server refuses their replacements. */
function findRefusedOf(blocked: readonly BlockedPod[], facts: ClusterFacts): readonly RefusedWorkload[] {
  const index = indexOf(facts);
  const keys = new Set(blocked.map(({ pod: { uid } }) => index.podsByUid.get(uid)?.workload ?? ''));
  return findRefused(
    [...keys].flatMap((key) => index.workload(key) ?? []),
    facts,
  );
}
