import { endpointsOf, viewOn } from './kubernetes.ts';
import { isExcluded } from './membership.ts';
import { lostAtPods, servingPods } from './pod-targets.ts';
import { later, matches, note, type SimPod, type SimService, type World } from './world.ts';

/** Sends requests at a fixed rate while time passes, and checks for each where it would arrive and whether anybody answers there. */
export function trafficPasses(world: World, from: number, to: number): void {
  for (const service of world.services) {
    if (service.ratePerSecond === 0) continue;
    const requests = (service.ratePerSecond * (to - from)) / 1000;
    const lost = requests * lostShare(world, service);
    world.traffic.sent += requests;
    world.traffic.lost += lost;
    if (lost > 0) note(world, `${service.key}: ${lost.toFixed(2)} of ${requests.toFixed(2)} requests lost`);
  }
}

/**
 * Requests get lost as soon as everybody in the world sleeps, because then a watch exists to count them. Between two watches nobody sends any, so
 * none can get lost.
 */
export function loseRequests(world: World, count: number): void {
  later(world, 0, () => {
    world.traffic.lost += count;
  });
}

/** Targets that really serve: in rotation, and a packet sent there reaches a living endpoint. */
export function servingTargets(world: World, service: SimService): number {
  const { podTargets } = service;
  return podTargets === undefined ? servingNodes(world, service).length : servingPods(world, podTargets).length;
}

/** Zones that have one. */
export function servingZones(world: World, service: SimService): readonly string[] {
  return [...new Set(servingNodes(world, service).map(({ zone }) => zone))];
}

function servingNodes(world: World, service: SimService): World['nodes'] {
  const hosts = service.externalTrafficPolicy === 'Cluster' ? undefined : hostsOf(world, service);
  return service.targets.flatMap(({ state, instanceId }) => {
    const node = state === 'healthy' ? world.nodes.find((one) => one.instanceId === instanceId) : undefined;
    return node !== undefined && hosts?.has(node.name) !== false ? [node] : [];
  });
}

/** Nodes with a ready endpoint, by name. */
function hostsOf(world: World, service: SimService): ReadonlySet<string | undefined> {
  const ready = endpointsOf(world, service.selector).filter((pod) => pod.ready && !pod.terminating);
  return new Set(ready.map(({ node }) => node));
}

function lostShare(world: World, service: SimService): number {
  if (service.podTargets !== undefined) return lostAtPods(world, service.podTargets);
  if (service.podGroups) return deadShare(world, service.view.filter(isAttached(world)));
  if (service.type === 'ClusterIP') return deadShare(world, service.view);
  const inRotation = service.targets.filter((target) => target.forwards);
  // Without any healthy target, an NLB sends to everything that is registered.
  const chosen = inRotation.length > 0 ? inRotation : service.targets;
  if (chosen.length === 0) return 1;
  return chosen.reduce((sum, target) => sum + lostAt(world, service, target.instanceId), 0) / chosen.length;
}

/** Whether the zone of an endpoint has a node that is Ready and not excluded. */
function isAttached({ nodes }: World): (endpoint: SimService['view'][number]) => boolean {
  const zones = new Set(nodes.filter((node) => node.ready && !isExcluded(node)).map(({ zone }) => zone));
  const zoneOf = new Map(nodes.map(({ name, zone }) => [name, zone]));
  return ({ node }) => zones.has(zoneOf.get(node) ?? '');
}

function lostAt(world: World, service: SimService, instanceId: string): number {
  const alive = world.instances.some((instance) => instance.instanceId === instanceId && instance.alive);
  const node = world.nodes.find((one) => one.instanceId === instanceId);
  if (!alive || node === undefined) return 1;
  if (service.externalTrafficPolicy === 'Cluster') return deadShare(world, viewOn(service, node));
  return deadShare(
    world,
    viewOn(service, node).filter((endpoint) => endpoint.node === node.name),
  );
}

/** Share of connections that reach nobody. Terminating endpoints get them only when no other is left (KEP-1669). */
function deadShare(world: World, all: SimService['view']): number {
  const staying = all.filter((endpoint) => !endpoint.terminating);
  const endpoints = staying.length > 0 ? staying : all;
  if (endpoints.length === 0) return 1;
  const dead = endpoints.filter((endpoint) => {
    const pod = world.pods.find((one) => one.uid === endpoint.podUid);
    const node = world.nodes.find((one) => one.name === endpoint.node);
    const instance = world.instances.find((one) => one.instanceId === node?.instanceId);
    return pod?.accepts !== true || instance?.alive !== true || isShutOff(world, pod);
  });
  return dead.length / endpoints.length;
}

/** Network policies select a pod by the labels that it has now. */
function isShutOff({ networkPolicies }: World, { labels }: SimPod): boolean {
  return networkPolicies.length > 0 && !networkPolicies.some(({ selector }) => matches(selector, labels));
}
