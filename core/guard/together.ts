import type { NodeRef } from '../model/node.ts';
import { isEnabled } from '../policy/rules.ts';
import { openGuard } from './guard.ts';
import { type CandidateQuestion, findProtection, waitingOf } from './select-candidate.ts';
import { explainUnstable } from './stability.ts';
import type { StableSince } from './stable-since.ts';

/**
 * The nodes that may be out together according to this observation, each as though those before it were out. Returns at most `atMost` nodes, and
 * no more than may be in flight, but at least one. Nodes on which observations have agreed for longer come first, so that successive observations
 * agree on the same nodes. Each node takes a moment to decide: a caller may let others work in between.
 */
export function* chooseTogether(question: CandidateQuestion, atMost: number): Generator<NodeRef> {
  const { facts, policy, stableSince, inFlight } = question;
  if (explainUnstable(facts, policy) !== undefined) return;
  const most = Math.max(1, Math.min(atMost, policy.guard.maxInFlight - inFlight.length));
  let guard = isEnabled(policy, 'capacity-guard') ? openGuard(question) : undefined;
  let chosen = 0;
  // A node that is blocked with fewer nodes out is also blocked with more, so each node is tried once.
  for (const node of inOrder(waitingOf(question), stableSince)) {
    if (findProtection(node, question) !== undefined || guard?.findBlock(node) !== undefined) continue;
    yield node;
    chosen += 1;
    if (chosen >= most) return;
    guard = guard?.assume({ excluded: [node] });
  }
}

function inOrder(waiting: readonly NodeRef[], stableSince: StableSince): readonly NodeRef[] {
  const since = ({ name }: NodeRef) => stableSince[name] ?? Number.MAX_VALUE;
  return waiting.toSorted((a, b) => since(a) - since(b));
}
