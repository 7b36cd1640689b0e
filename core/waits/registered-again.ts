import type { NodeFacts } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import { targetsOf } from '../model/targets-of.ts';
import { findPeers, type MemberPolicy, membersOf } from '../policy/members.ts';
import { listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';
import { takesNode } from './registration.ts';

/** How long a restored node has been waited for, and how long it may take, ms; undefined where nothing limits that. */
interface RestoredFor {
  readonly waitedMs: number;
  readonly deadlineMs: number | undefined;
}

/** Whether a restored node is registered again. */
interface RegisteredAgain extends WaitDecision {
  /** The deadline does not end the wait: it counts from the end of the drain, which is still going on or was until now. */
  readonly isSelfResolving: boolean;
}

/**
 * A node without its exclude label is back when every target group that takes such nodes has it as a target that does not drain. Groups that register
 * it only after its drain have that much more time.
 */
export function decideRegisteredAgain(
  node: NodeFacts,
  facts: ServingFacts,
  policy: MemberPolicy,
  { waitedMs, deadlineMs = 0 }: RestoredFor,
): RegisteredAgain {
  const uids = findPeers(node.uid, membersOf(facts.cluster, policy));
  const peers = facts.cluster.nodes.filter(({ uid }) => uids?.has(uid));
  const missing = facts.targetGroups.filter(
    (group) => isOut(node, group) && takesNode(node, group, peers, facts.cluster),
  );
  if (missing.length > 0) {
    const drainsFor = Math.min(
      ...missing.map((one) => (one.returnsAfterDrain === true ? one.deregistrationDelayMs : 0)),
    );
    const isSelfResolving = waitedMs < drainsFor + deadlineMs;
    return { done: false, reason: `${node.name} is not registered again in ${namesOf(missing)}`, isSelfResolving };
  }
  const taken = facts.targetGroups.filter((group) => !isOut(node, group));
  const reason = taken.length === 0 ? 'in no load balancer' : `registered in ${namesOf(taken)}`;
  return { done: true, reason, isSelfResolving: false };
}

function isOut(node: NodeFacts, group: TargetGroupFacts): boolean {
  const targets = targetsOf(node, group);
  return targets.length === 0 || targets.some(({ state }) => state === 'draining');
}

function namesOf(groups: readonly TargetGroupFacts[]): string {
  return listNames(groups.map(({ name }) => name));
}
