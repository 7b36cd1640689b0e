import { indexOf, onceFor } from '../model/cluster-index.ts';
import { isExcludedFrom } from '../model/excluded-from.ts';
import type { NodeFacts } from '../model/node.ts';
import { isLeaving } from '../model/pod-targets.ts';
import { type Reach, reachOf } from '../model/reach.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import { takenAwayBy } from '../model/taken-away.ts';
import { hasPods, membershipOf, type TargetGroupFacts } from '../model/target-group.ts';
import { targetsOfPod } from '../model/targets-of.ts';

/** A node that can take new connections of a Service. */
interface ServingNode {
  readonly name: string;
  readonly zone: string;
  /** Ready endpoints of the Service on the node that stay. */
  readonly endpoints: number;
  /** Serving targets that leave with the node: itself, or its pods where pods are targets. */
  readonly targets: number;
}

/** Where a Service is served, before exclusions are subtracted. */
export interface ServiceState {
  readonly service: ServiceFacts;
  /** Its target groups; empty when no load balancer was observed. */
  readonly groups: readonly TargetGroupFacts[];
  readonly reach: Reach;
  /**
   * Nodes whose target is healthy in every target group and, under policy Local, that host a ready endpoint. Of a Service that never had a healthy target,
   * those whose target is registered, while a pod of it is ready. Where pods are targets, nodes that host a healthy one. By node name.
   */
  readonly serving: ReadonlyMap<string, ServingNode>;
  /** Nodes that serve, or may serve again without any action: hosts of an endpoint (policy Local), and registered targets. */
  readonly attached: ReadonlySet<string>;
  /** Nodes that every target group has as targets and uses, healthy or not, or uses again as soon as they have drained. */
  readonly taken: ReadonlySet<string>;
  /** Nodes that host an endpoint, ready or not, that is not terminating. */
  readonly hosts: ReadonlySet<string>;
  /** Ready endpoints that stay, by node name. */
  readonly readyOn: ReadonlyMap<string, number>;
}

/** A Service and the target groups that were observed behind it. */
interface LoadBalancedService {
  readonly service: ServiceFacts;
  readonly groups: readonly TargetGroupFacts[];
}

/** Every Service with an observed load balancer, by key. */
export const balancedServices = onceFor(
  ({ cluster, targetGroups }: ServingFacts): ReadonlyMap<string, LoadBalancedService> => {
    const groups = Map.groupBy(targetGroups, (group) => group.service);
    const index = indexOf(cluster);
    return new Map(
      [...groups.keys()].toSorted().flatMap((key) => {
        const service = index.service(key);
        return service === undefined ? [] : [[key, { service, groups: groups.get(key) ?? [] }] as const];
      }),
    );
  },
);

/** All target groups of a Service, by key, also those that never had a healthy target. Empty without an observed load balancer. */
export function targetGroupsOf(service: string, facts: ServingFacts): readonly TargetGroupFacts[] {
  return balancedServices(facts).get(service)?.groups ?? [];
}

/** The state of each of them. */
export const serviceStates = onceFor(
  (facts: ServingFacts): ReadonlyMap<string, ServiceState> =>
    new Map([...balancedServices(facts).values()].map(({ service }) => [service.key, stateOf(service, facts)])),
);

const states = onceFor<ServingFacts, Map<ServiceFacts, ServiceState>>(() => new Map());

/**
 * Computes the state of one Service, once for each observation. Policy Local needs a ready endpoint on the node itself, because kube-proxy
 * answers the load balancer's health check by ready local endpoints only (kubernetes pkg/proxy/healthcheck/service_health.go).
 */
export function stateOf(service: ServiceFacts, facts: ServingFacts): ServiceState {
  const known = states(facts).get(service);
  if (known !== undefined) return known;
  const made = computeState(service, facts);
  states(facts).set(service, made);
  return made;
}

function computeState(service: ServiceFacts, facts: ServingFacts): ServiceState {
  const groups = countedGroups(targetGroupsOf(service.key, facts));
  const hosts = hostsOf(service);
  const readyOn = new Map<string, number>();
  for (const { node } of readyEndpoints(service, facts.cluster)) {
    if (node !== undefined) readyOn.set(node, (readyOn.get(node) ?? 0) + 1);
  }
  const reach = reachOf(service, groups);
  if (reach === 'pod')
    return { service, groups, reach, attached: hosts, hosts, readyOn, ...findServingPods(service, groups, facts) };
  const local = reach === 'host';
  const attached = new Set(local ? hosts : []);
  const taken = new Set<string>();
  const serving = new Map<string, ServingNode>();
  if (groups.length === 0) return { service, groups, reach, serving, attached, taken, hosts, readyOn };
  const registered = groups
    .filter((group) => !hasPods(group))
    .map(({ targets, returnsAfterDrain: returns = false }) => ({
      states: statesByInstance(targets),
      returns,
    }));
  const takesAll = groups.every((group) => hasPods(group) || membershipOf(group) === 'all-nodes');
  const accepted = readyOn.size > 0 && groups.every(({ silent }) => silent === true) ? failOpen : healthyOnly;
  for (const node of facts.cluster.nodes) {
    const state = worstState(registered, node.instanceId, accepted);
    // A node that is not Ready is deregistered for now; in a group that draws its targets it may never have been one.
    const isExcluded = groups.some((group) => isExcludedFrom(node, group));
    const isComing = !local && !isExcluded && ((!node.ready && takesAll) || state.isDraining);
    if (state.isRegistered || isComing) attached.add(node.name);
    if (state.isTaken || (state.isReturning && !isExcluded)) taken.add(node.name);
    const endpoints = readyOn.get(node.name) ?? 0;
    if (node.ready && state.serves && (!local || endpoints > 0)) {
      serving.set(node.name, { name: node.name, zone: node.zone, endpoints, targets: 1 });
    }
  }
  return { service, groups, reach, serving, attached, taken, hosts, readyOn };
}

/** The groups that decide what serves: groups that never had a healthy target do not, next to one that had. */
function countedGroups(groups: readonly TargetGroupFacts[]): readonly TargetGroupFacts[] {
  const counted = groups.filter(({ silent }) => silent !== true);
  return counted.length === 0 ? groups : counted;
}

/** Where pods are targets: nodes with pods to which every target group sends, and nodes with pods that every one uses. */
function findServingPods(
  service: ServiceFacts,
  groups: readonly TargetGroupFacts[],
  { cluster }: ServingFacts,
): Pick<ServiceState, 'serving' | 'taken'> {
  const { nodes, podsByUid } = indexOf(cluster);
  const serving = new Map<string, ServingNode>();
  const taken = new Set<string>();
  for (const { podUid } of readyEndpoints(service, cluster)) {
    const pod = podsByUid.get(podUid ?? '');
    const node = nodes.get(pod?.node ?? '');
    if (pod === undefined || node === undefined) continue;
    const states = groups.map((group) => targetsOfPod(pod, group));
    if (states.every((own) => own.length > 0 && !own.some(isLeaving))) taken.add(node.name);
    if (!states.every((own) => own.length > 0 && own.every(({ state }) => state === 'healthy'))) continue;
    const targets = (serving.get(node.name)?.targets ?? 0) + 1;
    serving.set(node.name, { name: node.name, zone: node.zone, endpoints: targets, targets });
  }
  return { serving, taken };
}

const hostsOf = onceFor(
  ({ endpoints }: ServiceFacts): ReadonlySet<string> =>
    new Set(endpoints.flatMap(({ node, terminating }) => (terminating ? [] : (node ?? [])))),
);

type State = TargetGroupFacts['targets'][number]['state'];

const healthyOnly: readonly State[] = ['healthy'];

/**
 * States in which a target may get connections when no target of its group is healthy: load balancers of Elastic Load Balancing send to all registered
 * targets then, whatever their state (Network Load Balancer and Application Load Balancer user guides, "Health checks for your target groups": fail
 * open). Others may send nothing. Nobody can tell, and such a target counts as one that serves. One that was never checked does not.
 */
const failOpen: readonly State[] = ['healthy', 'unhealthy', 'unhealthy.draining', 'unavailable'];

/** What an instance is to all target groups of a Service together: it serves if its state is accepted in every group. */
function worstState(
  registered: readonly { readonly states: ReadonlyMap<string, State>; readonly returns: boolean }[],
  instanceId: string,
  accepted: readonly State[],
) {
  let isRegistered = false;
  let isDraining = false;
  let serves = true;
  let isTaken = true;
  let isReturning = true;
  for (const { states, returns } of registered) {
    const state = states.get(instanceId);
    if (state === undefined || !accepted.includes(state)) serves = false;
    if (state === undefined || state === 'unused' || state === 'draining') isTaken = false;
    if (state === undefined || state === 'unused' || (state === 'draining' && !returns)) isReturning = false;
    if (state === 'draining') isDraining = true;
    else if (state !== undefined && state !== 'unused') isRegistered = true;
  }
  return { isRegistered, isDraining, serves, isTaken, isReturning };
}

/**
 * State by instance. If an instance has several ports, the state that is not healthy counts. Observations that share the targets of a group share
 * the result.
 */
const statesByInstance = onceFor((targets: TargetGroupFacts['targets']): ReadonlyMap<string, State> => {
  const states = new Map<string, State>();
  for (const target of targets) {
    if (target.kind !== 'instance') continue;
    const { instanceId, state } = target;
    if (state !== 'healthy' || !states.has(instanceId)) states.set(instanceId, state);
  }
  return states;
});

/**
 * Names of the nodes that no longer count as serving: those that the run has in flight, those that anybody excluded from load balancers, those
 * that an autoscaler has announced to terminate, and those that somebody else has cordoned. An external cordon on a node that the run is about to
 * replace does not count: the node keeps serving until the run excludes it.
 */
export function nodesOut(
  nodes: readonly NodeFacts[],
  inFlight: readonly string[],
  isOurs: (node: NodeFacts) => boolean,
): Set<string> {
  const out = new Set(inFlight);
  for (const node of nodes) {
    const externalCordon = node.cordoned && node.ownership.cordonedBy === undefined;
    if (node.excluded || takenAwayBy(node) !== undefined || (externalCordon && !isOurs(node))) out.add(node.name);
  }
  return out;
}
