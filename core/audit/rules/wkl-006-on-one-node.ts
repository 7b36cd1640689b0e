import { hostnameLabel } from '../../model/labels.ts';
import type { PodFacts } from '../../model/pod.ts';
import { reachOf } from '../../model/reach.ts';
import { patchPods, withCommands } from '../commands.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-006: several pods of a workload behind a load balancer that share a node and have nothing that keeps them apart. */
export const wkl006OnOneNode: Rule = {
  id: 'WKL-006',
  severities: ['error'],
  title: 'Pods that share a node and are not kept apart',
  why: 'Pods that share a node leave together. If all of them do, nothing serves while they move. With policy Local a node gets the same share of connections however many pods it has.',
  fix: 'Spread the pods over nodes with a topologySpreadConstraint by kubernetes.io/hostname.',
  source: 'Kubernetes docs, Pod Topology Spread Constraints; Source IP for Services with Type=LoadBalancer',
  check: (question) => {
    const balanced = evictedPods(question).filter(({ isBalanced, pod }) => isBalanced && pod.workload !== undefined);
    const byWorkload = Map.groupBy(balanced, ({ pod }) => pod.workload);
    return [...byWorkload.values()].flatMap((pods) => {
      const nodes = Map.groupBy(pods, ({ pod }) => pod.node);
      const shared = pods.filter(({ pod }) => (nodes.get(pod.node) ?? []).length > 1);
      if (shared.length === 0 || shared.some(({ pod }) => isKeptApart(pod))) return [];
      const isAlone = nodes.size === 1;
      return groupPods(shared, ({ pod, need }, object) => {
        // Elsewhere it does not matter how many pods a node has, as long as others serve.
        if (!isAlone && reachOf(need.service, need.groups) !== 'host') return undefined;
        const labelSelector = { matchLabels: stableLabels(pod) };
        const constraint = {
          maxSkew: 1,
          topologyKey: hostnameLabel,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector,
        };
        return {
          severity: 'error',
          message: isAlone
            ? `all of them are on ${pod.node ?? 'one node'}, and nothing keeps them apart: they leave together`
            : `they share nodes behind policy Local (${pods.length} pods on ${nodes.size} nodes), and nothing keeps them apart`,
          fix: {
            text: 'Spread them over nodes. The patch starts a rollout, which places them anew.',
            ...withCommands(
              patchPods(object, {
                topologySpreadConstraints: [{ ...constraint, matchLabelKeys: ['pod-template-hash'] }],
              }),
            ),
          },
        };
      });
    });
  },
};

/** Anti-affinity or a spread by host, also one that is only preferred. */
function isKeptApart({ keepsApartBy = [], spreads = [] }: PodFacts): boolean {
  return keepsApartBy.includes(hostnameLabel) || spreads.some(({ topologyKey }) => topologyKey === hostnameLabel);
}

/** Labels that all pods of the workload have, whatever their version. */
function stableLabels({ labels }: PodFacts): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== 'pod-template-hash'));
}
