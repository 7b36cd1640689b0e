import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetFacts, TargetGroupFacts, TargetState } from '../model/target-group.ts';
import type { Policy } from '../policy/policy.ts';
import { formatDuration, listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';
import { isEnabled } from './formulas.ts';

/** Whether a node's connections have ended at the load balancers. */
export interface ConnectionsDrained extends WaitDecision {
  /** The node is a live target again: a controller or a person has put it back, so the drain must begin anew. */
  readonly reregistered: boolean;
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
    reason: targets.length === 0 ? `${node.name} is in no target group` : listNames(targets.map(describe), 5),
  };
}

/** A node is drained when its timer is over AND no target group lists it any more (or as `unused`). */
export function decideConnectionsDrained(
  node: NodeRef,
  groups: readonly TargetGroupFacts[],
  now: number,
  notBefore: number,
): ConnectionsDrained {
  const targets = groups.flatMap((group) => targetsOf(node, group).map((target) => ({ group, target })));
  const live = targets.filter(({ target }) => !leaving.includes(target.state));
  if (live.length > 0) {
    return {
      done: false,
      reregistered: true,
      reason: `${node.name} is back in ${listNames(live.map(describe))}: something registers it again`,
    };
  }
  const draining = targets.filter(({ target }) => target.state === 'draining');
  const reasons: string[] = [];
  if (now < notBefore) reasons.push(`connections may live for another ${formatDuration(notBefore - now)}`);
  if (draining.length > 0) reasons.push(`${node.name} drains from ${listNames(draining.map(describe))}`);
  if (reasons.length > 0) return { done: false, reregistered: false, reason: reasons.join('; ') };
  return {
    done: true,
    reregistered: false,
    reason: `${node.name} has left ${groups.length === 0 ? 'every' : listNames(groups.map((group) => group.name))}`,
  };
}

/**
 * Why nothing may be done any more to a node that was drained: it is back in its load balancers, or about to be. Somebody removed the
 * label, or the controller registered it again in spite of it. Undefined while it is out, and for a node that is gone.
 */
export function findReregistered(
  node: NodeRef,
  { cluster, targetGroups }: ServingFacts,
  policy: Policy,
): string | undefined {
  const seen = indexOf(cluster).nodes.get(node.name);
  if (seen?.uid !== node.uid) return undefined;
  if (!seen.excluded) return `somebody removed the exclude label of ${node.name}`;
  if (!isEnabled(policy, 'wait-for-deregistration')) return undefined;
  const listed = targetGroups.flatMap((group) =>
    targetsOf(node, group)
      .filter(({ state }) => state !== 'unused')
      .map((target) => ({ group, target })),
  );
  return listed.length === 0 ? undefined : `${node.name} is back in ${listNames(listed.map(describe))}`;
}

/**
 * Whether only removing and setting the exclude label again helps: the label has been on for long enough, and the node is still, or
 * again, a live target. A service controller that was ensuring a load balancer with an older list of nodes while the label was
 * set registers the node again and looks at the label no more (k8s.io/cloud-provider v0.36, reproduced); the AWS Load Balancer
 * Controller never deregisters a node that was excluded while its target was `unhealthy.draining`, so that is waited out first.
 */
export function needsLabelAgain(
  node: NodeRef,
  facts: ServingFacts,
  labelledForMs: number,
  patienceMs: number,
): boolean {
  const seen = indexOf(facts.cluster).nodes.get(node.name);
  if (seen?.uid !== node.uid || !seen.excluded || labelledForMs < patienceMs) return false;
  const states = facts.targetGroups.flatMap((group) => targetsOf(node, group).map(({ state }) => state));
  return states.some((state) => !leaving.includes(state)) && !states.includes('unhealthy.draining');
}

const targetsByInstance = onceFor((targets: readonly TargetFacts[]) =>
  Map.groupBy(targets, (target) => target.instanceId),
);

/** Targets of a group that are on the node: one per port. */
export function targetsOf(node: Pick<NodeRef, 'instanceId'>, group: TargetGroupFacts): readonly TargetFacts[] {
  return targetsByInstance(group.targets).get(node.instanceId) ?? [];
}

function describe({ group, target }: { group: TargetGroupFacts; target: TargetFacts }): string {
  return `${group.name}: ${target.state}${target.reason === undefined ? '' : ` (${target.reason})`}`;
}
