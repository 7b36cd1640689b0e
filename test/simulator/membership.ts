import { slicesOf } from './kubernetes.ts';
import type { SimNode, SimService, World } from './world.ts';

/** Label that excludes a node from load balancers (kubernetes.io well-known labels). */
export const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Any value but `false` excludes the node, as the service controller reads it. */
export function isExcluded(node: Pick<SimNode, 'labels'>): boolean {
  return (node.labels[excludeLabel] ?? 'false') !== 'false';
}

/**
 * Instances that the controller of a Service wants as targets, going by labels and endpoints alone. Network endpoint groups of nodes have only hosts of
 * an endpoint that is not terminating, ready or not (ingress-gce v1.41.1, run), or a subset of all nodes, in which those stay that are there.
 */
export function wantedInstances(world: World, service: SimService): string[] {
  const { onlyPool, membership, subsetSize = 1, targets } = service;
  const excluded = excludedFor(world, service);
  const free = world.nodes.filter(
    (node) => (onlyPool === undefined || node.pool === onlyPool) && !excluded.has(node.uid),
  );
  const ids = (nodes: readonly SimNode[]) => nodes.map(({ instanceId }) => instanceId);
  if (membership === 'hosts-only') {
    const hosts = new Set(slicesOf(world, service).flatMap(({ node, terminating }) => (terminating ? [] : node)));
    return ids(free.filter(({ name }) => hosts.has(name)));
  }
  if (membership !== 'subset') return ids(free);
  const there = new Set(targets.filter(({ state }) => state !== 'draining').map(({ instanceId }) => instanceId));
  const [drawn, others] = [
    free.filter((one) => there.has(one.instanceId)),
    free.filter((one) => !there.has(one.instanceId)),
  ];
  return ids([...drawn, ...others].slice(0, subsetSize));
}

/** Nodes that are excluded as the controller of a Service knows it: from the last change that lets it read labels, if it does not always. */
function excludedFor(world: World, service: SimService): ReadonlySet<string> {
  const now = new Set(world.nodes.filter(isExcluded).map(({ uid }) => uid));
  if (service.readsLabelWithCordon !== true) return now;
  const nodes = JSON.stringify(world.nodes.map(({ uid, cordoned, ready }) => [uid, cordoned, ready]));
  const known = labelsRead.get(service);
  if (known?.nodes === nodes) return known.excluded;
  labelsRead.set(service, { nodes, excluded: now });
  return now;
}

const labelsRead = new WeakMap<SimService, { readonly nodes: string; readonly excluded: ReadonlySet<string> }>();
