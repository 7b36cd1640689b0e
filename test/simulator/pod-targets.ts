/**
 * Load balancers whose targets are pods. Their controller registers ready endpoints and deregisters those that are not listed any more, after a lag; the
 * readiness of a pod does not wait for its target.
 */
import type { PodTarget } from '../../core/model/target-group.ts';
import { slicesOf } from './kubernetes.ts';
import { later, note, type SimPod, type SimPodTarget, type SimService, type World } from './world.ts';

const containerPort = 8_080;

/** The address of a pod, which no other pod gets. */
export function addressOf({ uid }: Pick<SimPod, 'uid'>): string {
  return `ip-of-${uid}`;
}

/** The Service's load balancer has pods as targets, and has registered them. Somebody calls `world.changed` afterwards. */
export function targetPods(service: SimService): void {
  service.targets = [];
  service.podTargets = [];
}

/** The controller of the Service and its load balancer. Runs after every change. */
export function reconcilePodTargets(world: World, service: SimService, targets: SimPodTarget[]): void {
  for (const target of targets) judge(world, target);
  if (world.faults.controllersFrozen || differences(world, service, targets).length === 0 || reacting.has(service))
    return;
  reacting.add(service);
  later(world, world.delays.cloudController, () => {
    reacting.delete(service);
    if (world.faults.controllersFrozen) return;
    for (const change of differences(world, service, service.podTargets ?? [])) change();
  });
}

const reacting = new WeakSet<object>();

/** What differs between the endpoints and the targets that do not drain. */
function differences(world: World, service: SimService, targets: readonly SimPodTarget[]): (() => void)[] {
  const ready = new Set(slicesOf(world, service).flatMap((pod) => (pod.ready && !pod.terminating ? pod.uid : [])));
  const registered = new Set(targets.flatMap(({ pod, state }) => (state === 'draining' ? [] : pod.uid)));
  const added = world.pods.filter(({ uid }) => ready.has(uid) && !registered.has(uid));
  const gone = targets.filter(({ pod, state }) => state !== 'draining' && !ready.has(pod.uid));
  return [
    ...added.map((pod) => () => register(world, service, pod)),
    ...gone.map((target) => () => deregister(world, service, target)),
  ];
}

function register(world: World, service: SimService, pod: SimPod): void {
  const target: SimPodTarget = { pod, state: 'initial', listed: true, forwards: false };
  service.podTargets = [...(service.podTargets ?? []).filter((one) => one.pod !== pod), target];
  note(world, `${service.key}: pod ${pod.name} registers`);
  const { registration, healthInterval, healthThreshold } = world.delays;
  later(world, registration + healthInterval * healthThreshold, () => {
    if (service.failsOpen === true) return Object.assign(target, { state: 'unhealthy', forwards: pod.accepts });
    if (target.state === 'initial' && pod.accepts) Object.assign(target, { state: 'healthy', forwards: true });
  });
}

/** New connections arrive until the change has propagated, and established ones go on for as long as the load balancer drains: not at all with 0. */
function deregister(world: World, service: SimService, target: SimPodTarget): void {
  target.state = 'draining';
  note(world, `${service.key}: pod ${target.pod.name} drains`);
  if (service.connectionDrainMs === 0 && target.forwards) {
    world.traffic.cut += 1;
    note(world, `${service.key}: connections to pod ${target.pod.name} cut`);
  }
  const { propagation, deregistration } = world.delays;
  const connectionDrainMs = service.connectionDrainMs ?? deregistration;
  later(world, propagation, () => (target.forwards = false));
  later(world, connectionDrainMs, () => (target.listed = false));
  later(world, Math.max(propagation, connectionDrainMs), () => {
    service.podTargets = service.podTargets?.filter((one) => one !== target) ?? [];
  });
}

/** A target that does not answer fails its health checks after a while. */
function judge(world: World, target: SimPodTarget): void {
  if (target.state !== 'healthy' || target.pod.accepts || failing.has(target)) return;
  failing.add(target);
  later(world, world.delays.healthInterval * world.delays.healthThreshold, () => {
    failing.delete(target);
    if (target.state === 'healthy' && !target.pod.accepts)
      Object.assign(target, { state: 'unhealthy', forwards: false });
  });
}

const failing = new WeakSet<SimPodTarget>();

/** The share of connections that reach nobody. */
export function lostAtPods(world: World, targets: readonly SimPodTarget[]): number {
  const chosen = targets.filter(({ forwards }) => forwards);
  if (chosen.length === 0) return 1;
  return chosen.filter(({ pod }) => !answers(world, pod)).length / chosen.length;
}

/** Pods that really serve: their target is healthy, and somebody answers there. */
export function servingPods(world: World, targets: readonly SimPodTarget[]): readonly SimPod[] {
  return targets.flatMap(({ pod, state }) => (state === 'healthy' && answers(world, pod) ? [pod] : []));
}

function answers({ nodes, instances }: World, { accepts, node }: SimPod): boolean {
  const host = nodes.find(({ name }) => name === node);
  return accepts && instances.some(({ instanceId, alive }) => instanceId === host?.instanceId && alive);
}

/** The targets as the API of the cloud returns them. */
export function describePods({ nodes }: World, targets: readonly SimPodTarget[]): PodTarget[] {
  const listed = targets.filter((target) => target.listed);
  return listed.map(({ pod, state }) => ({
    kind: 'pod',
    ip: addressOf(pod),
    port: containerPort,
    zone: nodes.find(({ name }) => name === pod.node)?.zone,
    state,
  }));
}
