import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { isEnabled } from '../policy/rules.ts';
import { count, formatDuration } from '../text/format.ts';
import { explainBlock, type GuardBlock } from './block.ts';
import type { CountedBudget, CountedService } from './counts.ts';
import { type Guard, type GuardQuestion, openGuard } from './guard.ts';
import { explainUnstable } from './stability.ts';
import { extend, isStable, type StableSince } from './stable-since.ts';
import { unreachableSince } from './unreachable.ts';

/** Everything that decides which node may be excluded next. */
export interface CandidateQuestion extends GuardQuestion {
  /** What earlier observations have agreed on: every node that each of them would have let the run exclude, together with the others. */
  readonly stableSince: StableSince;
  /** How often nodes were excluded before and restored, by name. Nodes that never were may be left out. */
  readonly rounds?: Readonly<Record<string, number>>;
}

/** The node that may be excluded, or why none may. */
export interface GuardDecision {
  readonly node: NodeRef | undefined;
  /** One sentence with names and numbers. */
  readonly reason: string;
  /** For a node that may be excluded: the limit that comes closest to blocking it, in figures. */
  readonly because?: string;
  readonly blockedBy?: GuardBlock;
  /** For the next observation. */
  readonly stableSince: StableSince;
  /** A node may be excluded once observations have agreed for this much longer, ms. */
  readonly stableInMs?: number;
}

/**
 * Selects one node to exclude: the first waiting node without which every minimum is met, once observations have agreed on it for the policy's
 * stabilization time. The observation is stale the moment after: ask again, with a fresh one, under the lock that all runs of the cluster share.
 */
export function selectCandidate(question: CandidateQuestion): GuardDecision {
  const { facts, policy } = question;
  const now = facts.observedAt;
  const waiting = waitingOf(question);
  const first = waiting[0];
  if (first === undefined) return { node: undefined, reason: 'no node waits to be excluded', stableSince: {} };
  const unstable = explainUnstable(facts, policy);
  if (unstable !== undefined) return { node: undefined, reason: `${first.name} waits: ${unstable}`, stableSince: {} };

  const guard = isEnabled(policy, 'capacity-guard') ? openGuard(question) : undefined;
  const blocks = waiting.map((node) => findProtection(node, question) ?? guard?.findBlock(node));
  const mayGo = waiting.filter((_, index) => blocks[index] === undefined);
  const names = mayGo.map((node) => node.name);
  const stableSince = extend(question.stableSince, names, now);
  const blockedBy = findInFlightBlock(question, first) ?? (mayGo.length === 0 ? blocks[0] : undefined);
  if (blockedBy !== undefined) return { node: undefined, reason: explainBlock(blockedBy), blockedBy, stableSince };

  const next = mayGo.find((node) => isStable(stableSince, node.name, now, stabilizationMsOf(node, question)));
  if (next !== undefined) {
    const because = explainGrant(next, guard);
    return { node: next, reason: `${next.name} may be excluded: ${because}`, because, stableSince };
  }
  const stableAt = Math.min(
    ...mayGo.map((node) => (stableSince[node.name] ?? now) + stabilizationMsOf(node, question)),
  );
  const stableInMs = Math.max(1, stableAt - now);
  const reason = `${mayGo[0]?.name ?? ''} may be excluded once observations have agreed for another ${formatDuration(stableInMs)}`;
  return { node: undefined, reason, stableSince, stableInMs };
}

/** After a node was restored, observations have to agree for longer: twice as long after each round, doubled at most this many times. */
const maxDoublings = 6;

/** How long observations have to agree on the node, ms. */
export function stabilizationMsOf(
  { name }: NodeRef,
  { policy, rounds }: Pick<CandidateQuestion, 'policy' | 'rounds'>,
): number {
  return policy.waits.stabilizationMs * 2 ** Math.min(rounds?.[name] ?? 0, maxDoublings);
}

/** Those of them that are not in flight already. */
export function waitingOf({ waiting, inFlight }: GuardQuestion): readonly NodeRef[] {
  const names = new Set(inFlight.map((node) => node.name));
  return waiting.filter((node) => !names.has(node.name));
}

/** The do-not-disrupt annotation of the node, which may have been set after the plan was made. */
export function findProtection({ name }: NodeRef, { facts, policy }: GuardQuestion): GuardBlock | undefined {
  const asks = indexOf(facts.cluster).nodes.get(name)?.doNotDisrupt === true;
  if (!asks || policy.drain.doNotDisrupt === 'evict') return undefined;
  return { node: name, limit: 'do-not-disrupt', needs: 0, has: 0 };
}

/** The run does not wait for the owner of an unreachable node. */
function findInFlightBlock({ inFlight, policy, facts }: GuardQuestion, first: NodeRef): GuardBlock | undefined {
  const { maxInFlight } = policy.guard;
  const moving = inFlight.filter((node) => unreachableSince(node, facts, facts.observedAt) === undefined);
  if (moving.length < maxInFlight) return undefined;
  return { node: first.name, limit: 'in-flight', needs: maxInFlight, has: moving.length };
}

/** Of the budgets and Services that the node takes from, the one with least to spare without it. */
function explainGrant(node: NodeRef, guard: Guard | undefined): string {
  if (guard === undefined) return 'the capacity guard is disabled';
  const kept = [
    ...guard.chargedBy(node).map((budget) => budgetWithout(node, budget)),
    ...guard.servedBy(node).map(serviceWithout),
  ];
  const [tightest] = kept.toSorted((a, b) => a.spare - b.spare);
  return tightest?.text ?? 'it serves nothing';
}

function budgetWithout(node: NodeRef, { name, has, needs, takenWith }: CountedBudget) {
  const left = has - (takenWith.get(node.name) ?? 0);
  return {
    spare: left - needs,
    text: `budget ${name} keeps ${left} of ${count(has, 'reachable pod')}, needs ${needs}`,
  };
}

function serviceWithout({ state, targets, minServing }: CountedService) {
  const text = `${state.service.key} keeps ${targets - 1} of ${count(targets, 'serving target')}, minimum serving ${minServing.targets}`;
  return { spare: targets - 1 - minServing.targets, text };
}
