import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';

/** A node that can take new connections of a Service. */
export interface ServingNode {
  readonly name: string;
  readonly zone: string;
  /** Ready endpoints of the Service on the node. */
  readonly endpoints: number;
}

/** Where a Service is served, before anybody's step-out is taken off. */
export interface ServiceLook {
  readonly service: ServiceFacts;
  /** Its target groups; none when no load balancer is seen. */
  readonly groups: readonly TargetGroupFacts[];
  /** Nodes whose target is healthy in every target group and, under policy Local, that host a ready endpoint. By node name. */
  readonly serving: ReadonlyMap<string, ServingNode>;
  /** Nodes that serve, or may serve again without anybody's doing: hosts of an endpoint (policy Local), and registered targets. */
  readonly attached: ReadonlySet<string>;
  /** Nodes that host an endpoint, ready or not, which is not on its way out. */
  readonly hosts: ReadonlySet<string>;
  /** Ready endpoints by node name. */
  readonly readyOn: ReadonlyMap<string, number>;
}

const looks = new WeakMap<ServingFacts, Map<string, ServiceLook>>();

/** Every Service that a load balancer is seen for, by key; each look makes them once. */
export function balancedLooks(facts: ServingFacts): ReadonlyMap<string, ServiceLook> {
  const known = looks.get(facts);
  if (known !== undefined) return known;
  const index = indexOf(facts.cluster);
  const keys = [...new Set(facts.targetGroups.map((group) => group.service))].toSorted();
  const services = keys.flatMap((key) => index.service(key) ?? []);
  const made = new Map(services.map((service) => [service.key, lookAtService(service, facts)]));
  looks.set(facts, made);
  return made;
}

/**
 * Looks at one Service. Policy Local needs a ready endpoint on the node itself, because kube-proxy answers the load balancer's
 * health check by ready local endpoints only (kubernetes pkg/proxy/healthcheck/service_health.go).
 */
export function lookAtService(service: ServiceFacts, facts: ServingFacts): ServiceLook {
  const groups = facts.targetGroups.filter((group) => group.service === service.key);
  const hosts = new Set<string>();
  const readyOn = new Map<string, number>();
  for (const { node, ready, terminating } of service.endpoints) {
    if (node === undefined || terminating) continue;
    hosts.add(node);
    if (ready) readyOn.set(node, (readyOn.get(node) ?? 0) + 1);
  }
  const local = service.externalTrafficPolicy === 'Local';
  const attached = new Set(local ? hosts : []);
  const serving = new Map<string, ServingNode>();
  if (groups.length === 0) return { service, groups, serving, attached, hosts, readyOn };
  const registered = groups.map(statesByInstance);
  for (const node of facts.cluster.nodes) {
    const states = registered.map((targets) => targets.get(node.instanceId));
    const isComing = !local && !node.excluded && (!node.ready || states.includes('draining'));
    if (states.some(isRegistered) || isComing) attached.add(node.name);
    const endpoints = readyOn.get(node.name) ?? 0;
    const healthy = states.every((state) => state === 'healthy');
    if (node.ready && healthy && (!local || endpoints > 0)) {
      serving.set(node.name, { name: node.name, zone: node.zone, endpoints });
    }
  }
  return { service, groups, serving, attached, hosts, readyOn };
}

type State = TargetGroupFacts['targets'][number]['state'];

/** State by instance; of several ports the one that is not healthy. */
function statesByInstance(group: TargetGroupFacts): ReadonlyMap<string, State> {
  const states = new Map<string, State>();
  for (const { instanceId, state } of group.targets) {
    if (states.get(instanceId) === undefined || state !== 'healthy') states.set(instanceId, state);
  }
  return states;
}

function isRegistered(state: State | undefined): boolean {
  return state !== undefined && state !== 'draining' && state !== 'unused';
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
