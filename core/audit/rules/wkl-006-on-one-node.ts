import { indexOf } from '../../model/cluster-index.ts';
import { hostnameLabel } from '../../model/labels.ts';
import { type PodFacts, templateLabel } from '../../model/pod.ts';
import { reachOf } from '../../model/reach.ts';
import type { WorkloadFacts } from '../../model/workload.ts';
import { patchPods, withCommands } from '../commands.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { AuditedObject, Rule } from '../rule.ts';

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
    const index = indexOf(question.facts.cluster);
    return [...byWorkload.entries()].flatMap(([key = '', pods]) => {
      // Those on nodes that are not audited serve on.
      const serving = index.podsOfWorkload(key).filter(({ ready, terminating }) => ready && !terminating);
      const nodes = Map.groupBy(serving, ({ node }) => node);
      const shared = pods.filter(({ pod }) => (nodes.get(pod.node) ?? []).length > 1);
      if (shared.length === 0 || shared.some(({ pod }) => isKeptApart(pod))) return [];
      const isAlone = nodes.size === 1;
      return groupPods(shared, ({ pod, need }, object) => {
        // Elsewhere it does not matter how many pods a node has, as long as others serve.
        if (!isAlone && reachOf(need.service, need.groups) !== 'host') return undefined;
        return {
          severity: 'error',
          message: isAlone
            ? `all of them are on ${pod.node ?? 'one node'}, and nothing keeps them apart: they leave together`
            : `they share nodes behind policy Local (${serving.length} pods on ${nodes.size} nodes), and nothing keeps them apart`,
          fix: {
            text: 'Spread them over nodes. The patch starts a rollout, which places them anew.',
            ...withCommands(spread(object, index.workload(key))),
          },
        };
      });
    });
  },
};

/** Anti-affinity or a spread by host, also one that is only preferred. */
function isKeptApart({ keepsApartBy = [], prefersApartBy = [], spreads = [] }: PodFacts): boolean {
  return [...keepsApartBy, ...prefersApartBy, ...spreads.map(({ topologyKey }) => topologyKey)].includes(hostnameLabel);
}

/** Spreads the pods of a workload. Labels of single pods, such as the name of a StatefulSet's pod, would count one pod only. */
function spread(object: AuditedObject, workload: WorkloadFacts | undefined): readonly string[] {
  if (workload?.selector === undefined) return [];
  const constraint = {
    maxSkew: 1,
    topologyKey: hostnameLabel,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: workload.selector,
    // A Deployment starts pods of the new version beside those of the old one.
    ...(workload.kind === 'Deployment' ? { matchLabelKeys: [templateLabel] } : {}),
  };
  return patchPods(object, { topologySpreadConstraints: [constraint] });
}
