import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import { isEnabled } from '../policy/rules.ts';
import { count, formatDuration } from '../text/format.ts';
import { explainBlock, type GuardBlock } from './block.ts';
import type { CountedBudget, CountedService } from './counts.ts';
import { type Guard, type GuardQuestion, openGuard } from './guard.ts';
import { findDistrust } from './stability.ts';
import { extend, isStable, type StableSince } from './stable-since.ts';
import { unreachableSince } from './unreachable.ts';

/** Everything that decides who may step out next. */
export interface CandidateQuestion extends GuardQuestion {
  /** What earlier looks have agreed on: every node that each of them would have let go, together with the others. */
  readonly agreed: StableSince;
  /** How often nodes were let go before and came back, by name; those that never did may be left out. */
  readonly rounds?: Readonly<Record<string, number>>;
}

/** Who may step out, or why nobody may. */
export interface GuardDecision {
  readonly node: NodeRef | undefined;
  /** One sentence with names and numbers. */
  readonly reason: string;
  /** Of a node that may: what comes closest to holding it, in figures. */
  readonly because?: string;
  readonly blockedBy?: GuardBlock;
  /** For the next look. */
  readonly agreed: StableSince;
  /** A node may go once looks have agreed for this much longer, ms. */
  readonly settlesInMs?: number;
}

/**
 * Lets one node step out: the first that waits whose leaving keeps every floor, once looks have agreed on it for the policy's
 * settling time. The look is stale the moment after: ask again, with a fresh one, under the lock that all runs of the cluster share.
 */
export function selectCandidate(question: CandidateQuestion): GuardDecision {
  const { facts, policy } = question;
  const now = facts.observedAt;
  const waiting = waitingOf(question);
  const first = waiting[0];
  if (first === undefined) return { node: undefined, reason: 'no node waits to be excluded', agreed: {} };
  const distrust = findDistrust(facts, policy);
  if (distrust !== undefined) return { node: undefined, reason: `${first.name} waits: ${distrust}`, agreed: {} };

  const guard = isEnabled(policy, 'capacity-guard') ? openGuard(question) : undefined;
  const blocks = waiting.map((node) => findProtection(node, question) ?? guard?.findBlock(node));
  const mayGo = waiting.filter((_, index) => blocks[index] === undefined);
  const names = mayGo.map((node) => node.name);
  const agreed = extend(question.agreed, names, now);
  const blockedBy = findInFlightBlock(question, first) ?? (mayGo.length === 0 ? blocks[0] : undefined);
  if (blockedBy !== undefined) return { node: undefined, reason: explainBlock(blockedBy), blockedBy, agreed };

  const next = mayGo.find((node) => isStable(agreed, node.name, now, settleMsOf(node, question)));
  if (next !== undefined) {
    const because = explainGrant(next, guard);
    return { node: next, reason: `${next.name} may step out: ${because}`, because, agreed };
  }
  const settledAt = Math.min(...mayGo.map((node) => (agreed[node.name] ?? now) + settleMsOf(node, question)));
  const settlesInMs = Math.max(1, settledAt - now);
  const reason = `${mayGo[0]?.name ?? ''} may be excluded once observations have agreed for another ${formatDuration(settlesInMs)}`;
  return { node: undefined, reason, agreed, settlesInMs };
}

/** Of what has not lasted before, looks have to agree for longer: for twice as long with each turn, up to this many times. */
const maxDoublings = 6;

/** So long looks have to agree on the node, ms. */
export function settleMsOf(
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

/** A wish of its owner, which may have come after the plan was made. */
export function findProtection({ name }: NodeRef, { facts, policy }: GuardQuestion): GuardBlock | undefined {
  const asks = indexOf(facts.cluster).nodes.get(name)?.doNotDisrupt === true;
  if (!asks || policy.drain.doNotDisrupt === 'evict') return undefined;
  return { node: name, limit: 'do-not-disrupt', needs: 0, has: 0 };
}

/** Nobody waits for a node that is unreachable. */
function findInFlightBlock({ inFlight, policy, facts }: GuardQuestion, first: NodeRef): GuardBlock | undefined {
  const { maxInFlight } = policy.guard;
  const moving = inFlight.filter((node) => unreachableSince(node, facts, facts.observedAt) === undefined);
  if (moving.length < maxInFlight) return undefined;
  return { node: first.name, limit: 'in-flight', needs: maxInFlight, has: moving.length };
}

/** What the node takes from and has least to spare without it, of budgets and Services. */
function explainGrant(node: NodeRef, guard: Guard | undefined): string {
  if (guard === undefined) return 'the capacity guard is switched off';
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
