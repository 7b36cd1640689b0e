import { onceFor } from '../model/cluster-index.ts';
import { selectorKeys, selectsLabels } from '../model/label-selector.ts';
import type { NetworkPolicyFacts, PodSelectorFacts } from '../model/network-policy.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts } from '../model/serving.ts';

const none: readonly NetworkPolicyFacts[] = [];

/**
 * Network policies that would apply differently to the pod without these labels. Whatever enforces them does so within moments: Cilium for
 * connections in flight too, because other labels are another identity (its documentation, "Limiting Identity-Relevant Labels"), others at
 * least for new ones. None applies to a pod in its node's network (Kubernetes docs, "Network Policies").
 */
export function policiesThatMiss(
  pod: Pick<PodFacts, 'namespace' | 'labels' | 'hostNetwork'>,
  keys: readonly string[],
  { networkPolicies = none }: Pick<ClusterFacts, 'networkPolicies'>,
): readonly string[] {
  if (networkPolicies.length === 0 || pod.hostNetwork) return [];
  const byKey = selectorsByKey(networkPolicies);
  const left = Object.fromEntries(Object.entries(pod.labels).filter(([key]) => !keys.includes(key)));
  const missing = keys
    .flatMap((key) => byKey.get(key) ?? [])
    .filter(({ selector: { namespace, labels } }) => {
      if (namespace !== undefined && namespace !== pod.namespace) return false;
      return selectsLabels(labels, pod.labels) !== selectsLabels(labels, left);
    });
  return [...new Set(missing.map(({ policy }) => policy))].toSorted();
}

const selectorsByKey = onceFor((policies: readonly NetworkPolicyFacts[]) => {
  const all: { readonly key: string; readonly policy: string; readonly selector: PodSelectorFacts }[] =
    policies.flatMap(({ key: policy, selectors }) =>
      selectors.flatMap((selector) => selectorKeys(selector.labels).map((key) => ({ key, policy, selector }))),
    );
  return Map.groupBy(all, ({ key }) => key);
});
