import { indexOf } from '../model/cluster-index.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { count } from '../text/format.ts';
import { isReleasedBy, isServing } from './owned-pods.ts';

/**
 * Describes released pods whose workloads have rolled out another version since. They serve until their nodes leave, although the rollout is
 * reported as complete. Undefined when there are none.
 */
export function explainOldVersions(cluster: ClusterFacts, run: string): string | undefined {
  const old = cluster.pods.flatMap((pod) => {
    if (pod.terminating || !isServing(pod) || !isReleasedBy(pod, run) || pod.released.wants !== 0) return [];
    const workload = indexOf(cluster).workload(pod.released.workload);
    return workload === undefined || workload.replicas === 0 ? [] : [workload.key];
  });
  const groups = [...Map.groupBy(old, (key) => key)].map(
    ([key, { length }]) => `${count(length, 'pod')} of the old version of ${key}`,
  );
  return groups.length === 0 ? undefined : `still serving until their nodes leave: ${groups.join(', ')}`;
}
