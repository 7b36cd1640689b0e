import { indexOf, onceFor } from './cluster-index.ts';
import type { NodeRef } from './node.ts';
import type { PodFacts } from './pod.ts';
import type { ClusterFacts } from './serving.ts';
import type { InstanceTarget, PodTarget, TargetFacts, TargetGroupFacts } from './target-group.ts';

const targetsByInstance = onceFor((targets: readonly TargetFacts[]) =>
  Map.groupBy(targets.filter(isInstance), (target) => target.instanceId),
);

const targetsByIp = onceFor((targets: readonly TargetFacts[]) => Map.groupBy(targets.filter(isPod), ({ ip }) => ip));

/** Targets of a group that are the node itself: one per port. Only these go by the labels of the node. */
export function targetsOf(node: Pick<NodeRef, 'instanceId'>, group: TargetGroupFacts): readonly InstanceTarget[] {
  return targetsByInstance(group.targets).get(node.instanceId) ?? [];
}

/** Targets of a group that have an address of the pod: one per address and port. */
export function targetsOfPod({ ips = [] }: Pick<PodFacts, 'ips'>, group: TargetGroupFacts): readonly PodTarget[] {
  const byIp = targetsByIp(group.targets);
  return ips.flatMap((ip) => byIp.get(ip) ?? []);
}

/** Targets of a group that are on the node: the node itself, and its pods. */
export function targetsOn(
  node: Pick<NodeRef, 'name' | 'instanceId'>,
  group: TargetGroupFacts,
  cluster: ClusterFacts,
): readonly TargetFacts[] {
  const pods = indexOf(cluster).podsOn(node.name);
  const ofPods = targetsByIp(group.targets).size === 0 ? [] : pods.flatMap((pod) => targetsOfPod(pod, group));
  return [...targetsOf(node, group), ...ofPods];
}

/** The targets of a group that are instances. */
export function instanceTargets({ targets }: Pick<TargetGroupFacts, 'targets'>): readonly InstanceTarget[] {
  return instancesOf(targets);
}

const instancesOf = onceFor((targets: readonly TargetFacts[]) => targets.filter(isInstance));

function isInstance(target: TargetFacts): target is InstanceTarget {
  return target.kind === 'instance';
}

function isPod(target: TargetFacts): target is PodTarget {
  return target.kind === 'pod';
}
