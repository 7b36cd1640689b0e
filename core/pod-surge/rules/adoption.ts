import { onceFor } from '../../model/cluster-index.ts';
import { selectsLabels } from '../../model/label-selector.ts';
import { templateLabel } from '../../model/pod.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * Any controller that selects a pod without owner adopts it (Kubernetes docs, "ReplicaSet", Non-Template Pod acquisitions), and may delete it if
 * it has too many: a DaemonSet keeps one pod on a node, the older one.
 */
export const adoption: PodSurgeRule = (pod, { cluster }) => {
  const inNamespace = adoptersByNamespace(cluster);
  const adopters = inNamespace.size === 0 ? undefined : inNamespace.get(pod.namespace);
  if (adopters === undefined) return undefined;
  const { [templateLabel]: _template, ...labels } = pod.labels;
  const adopter = adopters.find(({ takes }) => selectsLabels(takes, labels));
  if (adopter === undefined) return undefined;
  return {
    reason: `${adopter.key} would adopt it, because its selector matches the labels of this pod`,
    hint: `Give the pods of ${adopter.key} a label of their own, and use it in the selector.`,
  };
};

const adoptersByNamespace = onceFor(({ workloads, adopters = [] }: ClusterFacts) => {
  const own = workloads.flatMap(({ key, namespace, takes }) =>
    takes === undefined ? [] : [{ key, namespace, takes }],
  );
  return Map.groupBy([...own, ...adopters], ({ namespace }) => namespace);
});
