/** Pods that are targets of load balancers themselves. */
import { onceFor } from './cluster-index.ts';
import { servicesOf } from './endpoints.ts';
import type { PodFacts } from './pod.ts';
import type { ClusterFacts } from './serving.ts';
import type { TargetFacts, TargetGroupFacts, TargetState } from './target-group.ts';
import { targetsOfPod } from './targets-of.ts';

/** States in which a target gets no new connections once the change has propagated. */
const leaving: readonly TargetState[] = ['draining', 'unused'];

/** Whether a target gets no new connections once the change has propagated. */
export function isLeaving({ state }: Pick<TargetFacts, 'state'>): boolean {
  return leaving.includes(state);
}

/**
 * The target groups that have, or had, the pod as a target: those of the Services that select it, or selected it before a run removed it from
 * endpoints.
 */
export function podGroupsOf(
  pod: Pick<PodFacts, 'namespace' | 'labels' | 'endpointsRemoved'>,
  cluster: ClusterFacts,
): readonly TargetGroupFacts[] {
  const { podTargets = [] } = cluster;
  if (podTargets.length === 0) return podTargets;
  const { namespace, endpointsRemoved } = pod;
  const labels = endpointsRemoved === undefined ? pod.labels : { ...pod.labels, ...endpointsRemoved.originalLabels };
  const groups = groupsByService(podTargets);
  return servicesOf({ namespace, labels }, cluster).flatMap(({ key }) => groups.get(key) ?? []);
}

const groupsByService = onceFor((groups: readonly TargetGroupFacts[]) => Map.groupBy(groups, ({ service }) => service));

/**
 * Whether the pod is a healthy target of the group, or in a zone that the load balancer does not cover, where it sends nothing by itself. Of a group
 * that never had a healthy target it only has to be a target that has been checked: load balancers of Elastic Load Balancing send to all targets of such a
 * group (Network Load Balancer and Application Load Balancer user guides, "Health checks for your target groups": fail open).
 */
export function servesIn(pod: Pick<PodFacts, 'ips'>, group: TargetGroupFacts): boolean {
  const targets = targetsOfPod(pod, group);
  if (group.silent === true)
    return (
      group.targets.length === 0 ||
      (targets.length > 0 && targets.every(({ state }) => state !== 'draining' && state !== 'initial'))
    );
  return targets.length > 0 && targets.every(({ state }) => state === 'healthy' || state === 'unused');
}

/** The first of its target groups that does not send to the pod. Undefined for a pod that is no target, and for one that serves in all of them. */
export function findGroupWithout(pod: PodFacts, cluster: ClusterFacts): TargetGroupFacts | undefined {
  if (cluster.podTargets === undefined) return undefined;
  return lacking(cluster)(pod);
}

const lacking = onceFor((cluster: ClusterFacts) =>
  onceFor((pod: PodFacts) => podGroupsOf(pod, cluster).find((group) => !servesIn(pod, group))),
);
