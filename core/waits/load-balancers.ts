import type { NodeRef } from '../model/node.ts';
import type { TargetFacts, TargetGroupFacts, TargetState } from '../model/target-group.ts';
import { formatDuration, listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';

/** Whether a node's connections have ended at the load balancers. */
export interface DrainedDecision extends WaitDecision {
  /** The node is a live target again: a controller or a person has put it back, so the drain must begin anew. */
  readonly backIn: boolean;
}

/** States in which a target gets no new connections once the change has spread. */
const leaving: readonly TargetState[] = ['draining', 'unused'];

/**
 * A node is observed out when every target group lists it as `draining` or `unused`, or no longer at all
 * (Elastic Load Balancing API, DescribeTargetHealth).
 */
export function decideObservedOut(node: NodeRef, groups: readonly TargetGroupFacts[]): WaitDecision {
  const targets = groups.flatMap((group) => targetsOf(node, group).map((target) => ({ group, target })));
  const still = targets.filter(({ target }) => !leaving.includes(target.state));
  if (still.length > 0) {
    return { done: false, reason: `${node.name} is still a target of ${listNames(still.map(describe))}` };
  }
  return {
    done: true,
    reason: targets.length === 0 ? `${node.name} is in no target group` : listNames(targets.map(describe), 10),
  };
}

/** A node is drained when its timer is over AND no target group lists it any more (or as `unused`). */
export function decideDrained(
  node: NodeRef,
  groups: readonly TargetGroupFacts[],
  now: number,
  notBefore: number,
): DrainedDecision {
  const targets = groups.flatMap((group) => targetsOf(node, group).map((target) => ({ group, target })));
  const live = targets.filter(({ target }) => !leaving.includes(target.state));
  if (live.length > 0) {
    return {
      done: false,
      backIn: true,
      reason: `${node.name} is back in ${listNames(live.map(describe))}: something registers it again`,
    };
  }
  const draining = targets.filter(({ target }) => target.state === 'draining');
  const reasons: string[] = [];
  if (now < notBefore) reasons.push(`connections may live for another ${formatDuration(notBefore - now)}`);
  if (draining.length > 0) reasons.push(`${node.name} drains from ${listNames(draining.map(describe))}`);
  if (reasons.length > 0) return { done: false, backIn: false, reason: reasons.join('; ') };
  return {
    done: true,
    backIn: false,
    reason: `${node.name} has left ${groups.length === 0 ? 'every' : listNames(groups.map((group) => group.name))}`,
  };
}

/** Targets of a group that are on the node: one per port. */
export function targetsOf(node: Pick<NodeRef, 'instanceId'>, group: TargetGroupFacts): readonly TargetFacts[] {
  return group.targets.filter((target) => target.instanceId === node.instanceId);
}

function describe({ group, target }: { group: TargetGroupFacts; target: TargetFacts }): string {
  return `${group.name}: ${target.state}${target.reason === undefined ? '' : ` (${target.reason})`}`;
}
