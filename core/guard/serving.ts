import type { NodeFacts } from '../model/node.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';

/** A Service as the guard sees it; a ServicePlan is one. */
export interface GuardedService {
  /** `namespace/name`. */
  readonly service: string;
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
}

/** A node that can take new connections of a Service. */
export interface ServingNode {
  readonly name: string;
  readonly zone: string;
}

/** Where a Service is served, before anybody's step-out is taken off. */
export interface ServiceLook {
  /** True when a load balancer's target groups say which nodes serve. */
  readonly balanced: boolean;
  /** Nodes whose target is healthy in every target group of the Service and, under policy Local, that host a ready endpoint. */
  readonly serving: readonly ServingNode[];
  /** Ready, non-terminating endpoints by node name. */
  readonly endpointsOn: ReadonlyMap<string, number>;
}

/** How much of a Service serves once the nodes on their way out are taken off. */
export interface ServingCount {
  /** Serving targets over all zones. */
  readonly targets: number;
  /** Serving targets by zone. */
  readonly perZone: Readonly<Record<string, number>>;
  /** Ready endpoints: under policy Local those on serving nodes, under Cluster those on nodes that are not on their way out. */
  readonly endpoints: number;
}

/**
 * Looks at one Service. Policy Local needs a ready endpoint on the node itself, because kube-proxy answers the load balancer's
 * health check by ready local endpoints only (kubernetes pkg/proxy/healthcheck/service_health.go).
 */
export function lookAtService(guarded: GuardedService, facts: ServingFacts): ServiceLook {
  const service = facts.cluster.services.find((candidate) => candidate.key === guarded.service);
  const endpointsOn = readyEndpointsByNode(service);
  const groups = facts.targetGroups.filter((group) => group.service === guarded.service);
  if (groups.length === 0) return { balanced: false, serving: [], endpointsOn };
  const healthyIn = groups.map(
    (group) => new Set(group.targets.filter((target) => target.state === 'healthy').map((target) => target.instanceId)),
  );
  const serving = facts.cluster.nodes.filter(
    (node) =>
      node.ready &&
      healthyIn.every((healthy) => healthy.has(node.instanceId)) &&
      (guarded.externalTrafficPolicy === 'Cluster' || (endpointsOn.get(node.name) ?? 0) > 0),
  );
  return { balanced: true, serving: serving.map(({ name, zone }) => ({ name, zone })), endpointsOn };
}

/** Counts what serves of a Service when the named nodes no longer count. */
export function countServing(guarded: GuardedService, look: ServiceLook, out: ReadonlySet<string>): ServingCount {
  const perZone: Record<string, number> = {};
  let targets = 0;
  let endpoints = 0;
  for (const node of look.serving) {
    if (out.has(node.name)) continue;
    targets += 1;
    perZone[node.zone] = (perZone[node.zone] ?? 0) + 1;
    if (guarded.externalTrafficPolicy === 'Local') endpoints += look.endpointsOn.get(node.name) ?? 0;
  }
  if (guarded.externalTrafficPolicy === 'Cluster' || !look.balanced) {
    for (const [node, ready] of look.endpointsOn) if (!out.has(node)) endpoints += ready;
  }
  return { targets, perZone, endpoints };
}

/**
 * Names of the nodes that no longer count as serving: in flight by our doing, excluded from load balancers by anybody, or cordoned
 * by somebody else. A foreign cordon on a node that we are about to replace does not count: it keeps serving, and its turn comes.
 */
export function nodesOut(
  nodes: readonly NodeFacts[],
  inFlight: readonly string[],
  isOurs: (node: NodeFacts) => boolean,
): Set<string> {
  const out = new Set(inFlight);
  for (const node of nodes) {
    const foreignCordon = node.cordoned && node.marks.cordonedBy === undefined;
    if (node.excluded || (foreignCordon && !isOurs(node))) out.add(node.name);
  }
  return out;
}

function readyEndpointsByNode(service: ServiceFacts | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const endpoint of service?.endpoints ?? []) {
    if (!endpoint.ready || endpoint.terminating || endpoint.node === undefined) continue;
    counts.set(endpoint.node, (counts.get(endpoint.node) ?? 0) + 1);
  }
  return counts;
}
