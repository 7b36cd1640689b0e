import { balancedServices } from '../../guard/serving.ts';
import { indexOf } from '../../model/cluster-index.ts';
import { hostnameLabel } from '../../model/labels.ts';
import type { NodeFacts } from '../../model/node.ts';
import { reachOf } from '../../model/reach.ts';
import { listNames } from '../../text/format.ts';
import type { ClusterRule } from './rule.ts';

/**
 * SVC-017: a load balancer that takes only nodes with a label that no replacement has. It would have no target in the end, and the run would wait for
 * new nodes to be registered.
 */
export const svc017TargetNodeLabels: ClusterRule = ({ facts, nodes, policy }) => {
  const { cluster } = facts;
  const balanced = balancedServices(facts);
  const names = new Set(nodes.map(({ name }) => name));
  const index = indexOf(cluster);
  const leaving = nodes.flatMap(({ name }) => index.nodes.get(name) ?? []);
  return cluster.services.flatMap((service) => {
    const { key, type, targetNodeLabels: wanted } = service;
    const isOfNodes = reachOf(service, balanced.get(key)?.groups ?? []) !== 'pod';
    if (type !== 'LoadBalancer' || wanted === undefined || !isOfNodes) return [];
    const target = leaving.find((node) => hasLabels(node, wanted));
    const isCarried = cluster.nodes.some((node) => !names.has(node.name) && node.ready && hasLabels(node, wanted));
    if (target === undefined || isCarried) return [];
    const lost = ownLabels(target)
      .filter((label) => wanted[label] !== undefined && wanted[label] !== '')
      .filter((label) => label !== target.poolLabels?.name || wanted[label] !== policy.target.poolName)
      .map((label) => `${label}=${wanted[label]}`);
    if (lost.length === 0) return [];
    return [
      {
        rule: 'SVC-017',
        severity: 'blocker' as const,
        subject: `service ${key}`,
        message: `its load balancer takes only nodes with label ${listNames(lost)}, which no new node has: it would be left without a target`,
        hint: 'Select its nodes by a label of your own that the new pool carries too, or take all nodes; then plan again.',
      },
    ];
  });
};

/** Labels whose values no replacement of the node has. */
function ownLabels({ poolLabels }: NodeFacts): readonly string[] {
  return [hostnameLabel, ...(poolLabels === undefined ? [] : [poolLabels.name, ...poolLabels.others])];
}

/** A label without a value is satisfied by any. */
function hasLabels({ labels }: NodeFacts, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) =>
    value === '' ? labels[key] !== undefined : labels[key] === value,
  );
}
