import { indexOf } from '../model/cluster-index.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { count } from '../text/format.ts';
import { isReleasedBy, isServing } from './owned-pods.ts';

/**
 * Pods of versions that their workloads have gone over from since the run released them: they serve on until their nodes go, and a rollout
 * that looks complete is not. In words; undefined where there are none.
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
  return groups.length === 0 ? undefined : `still serving until their nodes go: ${groups.join(', ')}`;
}
