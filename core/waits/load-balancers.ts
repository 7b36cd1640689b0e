import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetFacts, TargetGroupFacts, TargetState } from '../model/target-group.ts';
import { targetsOf } from '../model/targets-of.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { formatDuration, listNames } from '../text/format.ts';
import type { WaitDecision } from './decision.ts';

/** Whether the connections of a node have drained at the load balancers. */
interface ConnectionsDrained extends WaitDecision {
  /** The node is a live target again. A controller or a person has registered it, and so draining has to start again. */
  readonly reregistered: boolean;
}

/** Whether a node that is excluded has left its load balancers. */
interface Deregistered extends WaitDecision {
  /** The deadline does not end the wait: the node may be draining, which ends by itself. */
  readonly isSelfResolving: boolean;
}

/** How long a node has been excluded, and how long its load balancers may take to begin its drain, ms. */
interface ExcludedFor {
  readonly excludedForMs: number;
  readonly deadlineMs: number | undefined;
}

/** A target of the node that is asked about. */
interface Listed {
  readonly group: TargetGroupFacts;
  readonly target: TargetFacts;
}

/** States in which a target gets no new connections once the change has propagated. */
const leaving: readonly TargetState[] = ['draining', 'unused'];

function listedIn(node: NodeRef, groups: readonly TargetGroupFacts[]): readonly Listed[] {
  return groups.flatMap((group) => targetsOf(node, group).map((target) => ({ group, target })));
}

/**
 * Whether the target of an excluded node may be draining although its state does not say so. Of a target that drains and fails its health checks, a group
 * whose nodes return only after their drain says `unhealthy` (ingress-gce v1.41.1, pkg/neg/syncers/utils.go, healthStatusIndicatesDraining).
 */
function mayDrain({ group, target }: Listed): boolean {
  return group.returnsAfterDrain === true && target.state === 'unhealthy';
}

/**
 * A node is deregistered when it is `draining` or `unused` in every target group, or no target at all
 * (Elastic Load Balancing API, DescribeTargetHealth). Where nobody can tell whether it drains, only its absence says so.
 */
export function decideDeregistered(
  node: NodeRef,
  groups: readonly TargetGroupFacts[],
  { excludedForMs, deadlineMs = 0 }: ExcludedFor,
): Deregistered {
  const targets = listedIn(node, groups);
  const still = targets.filter(({ target }) => !leaving.includes(target.state));
  if (still.length > 0) {
    const connectionDrainMs = Math.max(...still.map(({ group }) => group.deregistrationDelayMs));
    return {
      done: false,
      reason: `${node.name} is still a target of ${listNames(still.map(describe))}`,
      isSelfResolving: still.every(mayDrain) && excludedForMs < connectionDrainMs + deadlineMs,
    };
  }
  return {
    done: true,
    isSelfResolving: false,
    reason: targets.length === 0 ? `${node.name} is in no target group` : listNames(targets.map(describe), 5),
  };
}

/** The connections of a node have drained when its timer is over AND it is no target of any group any more, or an `unused` one. */
export function decideConnectionsDrained(
  node: NodeRef,
  groups: readonly TargetGroupFacts[],
  now: number,
  notBefore: number,
): ConnectionsDrained {
  const targets = listedIn(node, groups);
  const live = targets.filter((one) => !leaving.includes(one.target.state) && !mayDrain(one));
  if (live.length > 0) {
    return {
      done: false,
      reregistered: true,
      reason: `${node.name} is back in ${listNames(live.map(describe))}: something registers it again`,
    };
  }
  const draining = targets.filter((one) => one.target.state === 'draining' || mayDrain(one));
  const reasons: string[] = [];
  if (now < notBefore) reasons.push(`connections may continue for another ${formatDuration(notBefore - now)}`);
  if (draining.length > 0) reasons.push(`${node.name} drains from ${listNames(draining.map(describe))}`);
  if (reasons.length > 0) return { done: false, reregistered: false, reason: reasons.join('; ') };
  return {
    done: true,
    reregistered: false,
    reason: `${node.name} has left ${groups.length === 0 ? 'every' : listNames(groups.map((group) => group.name))}`,
  };
}

/**
 * Explains why the run must not act on a node whose connections had drained: the node is a target again, or is about to be. Somebody removed
 * the exclude label, or the controller registered the node in spite of it. Undefined while the node is deregistered, and when it is gone.
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
  const listed = listedIn(node, targetGroups).filter(({ target }) => target.state !== 'unused');
  return listed.length === 0 ? undefined : `${node.name} is back in ${listNames(listed.map(describe))}`;
}

/**
 * Whether the exclude label has to be removed and set again: the node has had the label for long enough, and it is still, or again, a live
 * target. If a service controller is updating a load balancer with an older list of nodes while the label is set, it registers the node
 * again and does not check the label afterwards (k8s.io/cloud-provider v0.36, reproduced). The AWS Load Balancer Controller never
 * deregisters a node that was excluded while its target was `unhealthy.draining`, and so the label stays until that state has ended. A target that may
 * be draining has the time of its drain besides.
 */
export function needsLabelAgain(
  node: NodeRef,
  facts: ServingFacts,
  labelledForMs: number,
  patienceMs: number,
): boolean {
  const seen = indexOf(facts.cluster).nodes.get(node.name);
  if (seen?.uid !== node.uid || !seen.excluded || labelledForMs < patienceMs) return false;
  const targets = listedIn(node, facts.targetGroups);
  if (targets.some(({ target }) => target.state === 'unhealthy.draining')) return false;
  return targets.some((one) => {
    const connectionDrainMs = mayDrain(one) ? one.group.deregistrationDelayMs : 0;
    return !leaving.includes(one.target.state) && labelledForMs >= patienceMs + connectionDrainMs;
  });
}

function describe({ group, target }: Listed): string {
  return `${group.name}: ${target.state}${target.reason === undefined ? '' : ` (${target.reason})`}`;
}
