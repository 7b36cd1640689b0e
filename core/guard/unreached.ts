import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { ServiceState } from './serving.ts';

/** Ready pods by place, which is a pool in a zone. Plain data. */
export type PodsByPlace = Readonly<Record<string, number>>;

/**
 * Ready pods of a Service with policy Local in places where its load balancers use no node by their own configuration: they do not cover the zone
 * (targets there are `unused`, for good: Elastic Load Balancing API, TargetHealth), or accept only nodes of other pools (annotation
 * aws-load-balancer-target-node-labels, nodeSelector of a TargetGroupBinding). A target that fails its checks may pass the next one, and an
 * excluded node says nothing about that.
 */
export function findUnreached(state: ServiceState, { cluster }: ServingFacts): PodsByPlace {
  const open = new Set(cluster.nodes.filter(({ name, excluded }) => excluded || state.taken.has(name)).map(placeOf));
  const pods: Record<string, number> = {};
  for (const node of cluster.nodes) {
    const place = placeOf(node);
    const ready = state.readyOn.get(node.name) ?? 0;
    if (ready > 0 && !open.has(place)) pods[place] = (pods[place] ?? 0) + ready;
  }
  return pods;
}

/** The places that remain when those where load balancers use a node by now are removed. Undefined when none remain. */
export function stillUnreached(
  known: PodsByPlace | undefined,
  { taken }: ServiceState,
  { cluster }: ServingFacts,
): PodsByPlace | undefined {
  if (known === undefined) return undefined;
  const open = new Set(cluster.nodes.filter(({ name }) => taken.has(name)).map(placeOf));
  const left = Object.entries(known).filter(([place]) => !open.has(place));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Whether the node is in one of these places. */
export function isUnreached(node: string, facts: ServingFacts, unreached: PodsByPlace | undefined): boolean {
  if (unreached === undefined) return false;
  const seen = indexOf(facts.cluster).nodes.get(node);
  return seen !== undefined && unreached[placeOf(seen)] !== undefined;
}

/** Load balancers select nodes by zone and by label, and the nodes of a pool have the same labels. */
function placeOf({ pool = '', zone }: NodeFacts): string {
  return `${pool}/${zone}`;
}
