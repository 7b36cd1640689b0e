import type { NodeRef } from '../model/node.ts';
import { isEnabled } from '../policy/rules.ts';
import { openGuard } from './guard.ts';
import { type CandidateQuestion, findProtection, waitingOf } from './select-candidate.ts';
import { findDistrust } from './stability.ts';
import type { StableSince } from './stable-since.ts';

/**
 * The nodes that may be out together as things look now, each as though those before it had gone; no more than `atMost`, nor than may be in
 * flight, but one at least. Those on which looks have agreed for longer come first, so that looks which let any of them go agree on the
 * same. Each answer takes a moment: a caller may let others work in between.
 */
export function* chooseTogether(question: CandidateQuestion, atMost: number): Generator<NodeRef> {
  const { facts, policy, agreed, inFlight } = question;
  if (findDistrust(facts, policy) !== undefined) return;
  const most = Math.max(1, Math.min(atMost, policy.guard.maxInFlight - inFlight.length));
  let guard = isEnabled(policy, 'capacity-guard') ? openGuard(question) : undefined;
  let chosen = 0;
  // Who is held with fewer out is held with more: nobody is asked twice.
  for (const node of inOrder(waitingOf(question), agreed)) {
    if (findProtection(node, question) !== undefined || guard?.findBlock(node) !== undefined) continue;
    yield node;
    chosen += 1;
    if (chosen >= most) return;
    guard = guard?.assume({ excluded: [node] });
  }
}

function inOrder(waiting: readonly NodeRef[], agreed: StableSince): readonly NodeRef[] {
  const since = ({ name }: NodeRef) => agreed[name] ?? Number.MAX_VALUE;
  return waiting.toSorted((a, b) => since(a) - since(b));
}
