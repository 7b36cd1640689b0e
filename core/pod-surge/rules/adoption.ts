import { onceFor } from '../../model/cluster-index.ts';
import { selectsLabels } from '../../model/label-selector.ts';
import { templateLabel } from '../../model/pod.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import type { PodSurgeRule } from './rule.ts';

/**
 * A pod without owner is taken by whatever controller selects it (Kubernetes docs, "ReplicaSet", Non-Template Pod acquisitions), and ended where
 * that has one too many: a DaemonSet keeps one pod on a node, the older one.
 */
export const adoption: PodSurgeRule = (pod, { cluster }) => {
  const inNamespace = adoptersByNamespace(cluster);
  const adopters = inNamespace.size === 0 ? undefined : inNamespace.get(pod.namespace);
  if (adopters === undefined) return undefined;
  const { [templateLabel]: _template, ...labels } = pod.labels;
  const adopter = adopters.find(({ takes }) => selectsLabels(takes, labels));
  if (adopter === undefined) return undefined;
  return {
    reason: `${adopter.key} would take it: that selects pods by labels which this one has too`,
    hint: `Give the pods of ${adopter.key} a label of their own, and have it select by that.`,
  };
};

const adoptersByNamespace = onceFor(({ workloads, adopters = [] }: ClusterFacts) => {
  const own = workloads.flatMap(({ key, namespace, takes }) =>
    takes === undefined ? [] : [{ key, namespace, takes }],
  );
  return Map.groupBy([...own, ...adopters], ({ namespace }) => namespace);
});
