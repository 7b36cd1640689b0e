import { indexOf } from '../../model/cluster-index.ts';
import type { NodeFacts } from '../../model/node.ts';
import { isFinished, type PodFacts } from '../../model/pod.ts';
import type { ManagedNodesFacts } from '../../model/surroundings.ts';
import { workloadOf } from '../objects.ts';
import type { AuditQuestion, Rule, Violation } from '../rule.ts';

const pin = 'cluster-autoscaler.kubernetes.io/scale-down-disabled=true';

/** Labels by which the Helm chart and the examples of the cluster autoscaler name its pods (autoscaler charts/cluster-autoscaler, cloudprovider/aws/examples). */
const nameLabels = ['app.kubernetes.io/name', 'app', 'k8s-app'];

/** INF-001: nodes that an autoscaler may take away while others are replaced. */
export const inf001UnpinnedNodes: Rule = {
  id: 'INF-001',
  severities: ['warning'],
  title: 'Nodes that an autoscaler may remove meanwhile',
  why: 'An autoscaler evicts the pods of a node and ends its instance without waiting for load balancers. While nodes are replaced it may take new nodes as unneeded, or old ones at the same time. A run holds the size of its own pool where the cloud lets it, but not that of other pools.',
  fix: 'Keep the autoscaler away from these nodes while you replace nodes, and undo that afterwards.',
  source:
    'cluster autoscaler FAQ, How can I prevent Cluster Autoscaler from scaling down a particular node; Karpenter docs, Disruption, NodePool Disruption Budgets',
  check: (question) => {
    const { nodes } = indexOf(question.facts.cluster);
    const audited = question.nodes.flatMap(({ name }) => nodes.get(name) ?? []);
    const groups = question.facts.cluster.managedNodes ?? [];
    const unmanaged = audited.filter(({ labels }) => !groups.some(({ label }) => labels[label] !== undefined));
    return [...groups.flatMap((group) => judgeGroup(group, audited)), ...judgeAutoscaler(question, unmanaged)];
  },
};

/** Nodes that the controller of a group may remove. */
function judgeGroup({ name, label, frozen }: ManagedNodesFacts, audited: readonly NodeFacts[]): readonly Violation[] {
  const own = audited.filter((node) => node.labels[label] === name);
  const exposed = own.filter(({ doNotDisrupt }) => doNotDisrupt !== true);
  if (frozen || exposed.length === 0) return [];
  const patch = JSON.stringify({ spec: { disruption: { budgets: [{ nodes: '0' }] } } });
  return [
    {
      severity: 'warning',
      object: { kind: 'NodePool', name },
      message: `Karpenter may remove ${exposed.length} of its ${own.length} audited nodes at any time`,
      fix: {
        text: 'Allow no disruption while nodes are replaced. Note the budgets that it has now: the patch replaces them.',
        commands: [`kubectl patch nodepool ${name} --type=merge -p '${patch}'`],
      },
    },
  ];
}

/** Nodes that the cluster autoscaler may remove, where it runs in the cluster. */
function judgeAutoscaler(question: AuditQuestion, unmanaged: readonly NodeFacts[]): readonly Violation[] {
  const running = question.facts.cluster.pods.find((pod) => isAutoscaler(pod) && !isFinished(pod));
  const exposed = unmanaged.filter(({ scaleDownDisabled }) => scaleDownDisabled !== true);
  if (running === undefined || exposed.length === 0) return [];
  return [
    {
      severity: 'warning',
      object: workloadOf(running),
      message: `it may remove ${exposed.length} of ${unmanaged.length} audited nodes at any time`,
      fix: { text: 'Keep it away from these nodes while nodes are replaced.', commands: pinNodes(exposed) },
    },
  ];
}

function isAutoscaler({ labels }: PodFacts): boolean {
  // The chart puts the name of the cloud in front.
  return nameLabels.some((key) => labels[key]?.endsWith('cluster-autoscaler') === true);
}

/** One command for each pool, and one for the nodes without one. */
function pinNodes(nodes: readonly NodeFacts[]): readonly string[] {
  const selectors = nodes.map(({ name, pool, poolLabels }) =>
    poolLabels === undefined || pool === undefined ? name : `-l ${poolLabels.name}=${pool}`,
  );
  const pools = [...new Set(selectors)].filter((selector) => selector.startsWith('-l '));
  const names = selectors.filter((selector) => !selector.startsWith('-l '));
  return [...pools, ...(names.length === 0 ? [] : [names.join(' ')])]
    .toSorted()
    .map((chosen) => `kubectl annotate nodes ${chosen} ${pin}`);
}
