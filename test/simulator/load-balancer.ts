import { viewOn } from './kubernetes.ts';
import { wantedInstances } from './membership.ts';
import { reconcilePodTargets } from './pod-targets.ts';
import { later, note, type SimService, type SimTarget, type World } from './world.ts';

/** Cloud controller and load balancers: registration, health checks, deregistration. Runs after every change. */
export function reconcileLoadBalancers(world: World): void {
  for (const service of world.services) {
    if (service.podTargets !== undefined) reconcilePodTargets(world, service, service.podTargets);
    if (service.type !== 'LoadBalancer' || service.podTargets !== undefined) continue;
    reconcileRegistrations(world, service);
    for (const target of service.targets) check(world, service, target);
  }
}

/** Whether the target would pass a health check right now. */
function passes(world: World, service: SimService, target: SimTarget): boolean {
  const instance = world.instances.find((one) => one.instanceId === target.instanceId);
  const node = world.nodes.find((one) => one.instanceId === target.instanceId);
  if (instance?.alive !== true || node === undefined || service.broken?.includes(node.name) === true) return false;
  if (service.externalTrafficPolicy === 'Cluster') return true;
  return viewOn(service, node).some(
    // kube-proxy asks for ready pods; those that terminate still answer themselves.
    (endpoint) => endpoint.node === node.name && (service.ofIngress === true || !endpoint.terminating),
  );
}

function reconcileRegistrations(world: World, service: SimService): void {
  if (world.faults.controllersFrozen) return;
  const want = wantedBy(world, service);
  const registered = service.targets.filter((target) => target.state !== 'draining');
  const differs =
    want.some((id) => !registered.some((target) => target.instanceId === id) && mayRegister(service, id)) ||
    registered.some((target) => !want.includes(target.instanceId));
  if (!differs || reacting.has(service)) return;
  reacting.add(service);
  later(world, untilSync(world), () => {
    reacting.delete(service);
    if (world.faults.controllersFrozen) return;
    const current = wantedBy(world, service);
    for (const target of service.targets) {
      if (target.state !== 'draining' && !current.includes(target.instanceId)) deregister(world, service, target);
    }
    for (const id of current) {
      if (mayRegister(service, id)) register(world, service, id);
    }
  });
}

/** An endpoint of a network endpoint group is attached again only once it has drained (ingress-gce v1.41.1, run). */
function mayRegister(service: SimService, instanceId: string): boolean {
  const known = service.targets.find((target) => target.instanceId === instanceId);
  return known === undefined || (known.state === 'draining' && service.returnsAfterDrain !== true);
}

/** Time until the controller reacts, ms. One that syncs Services one after another begins with the next when it is done with this one. */
function untilSync(world: World): number {
  const now = world.clock.now();
  const { cloudController, serviceSync } = world.delays;
  if (serviceSync === 0) return cloudController;
  const at = Math.max(now + cloudController, freeAt.get(world) ?? 0);
  freeAt.set(world, at + serviceSync);
  return at - now;
}

const freeAt = new WeakMap<World, number>();

const reacting = new WeakSet<object>();

/**
 * Nodes that the Service's controller wants registered: those without the label, and those that it no longer reconciles. The AWS Load Balancer
 * Controller skips a target that is `unhealthy.draining` when its node is excluded, and never returns to it.
 */
function wantedBy(world: World, service: SimService): string[] {
  const free = wantedInstances(world, service);
  for (const target of service.targets) {
    if (free.includes(target.instanceId)) target.stuck = false;
    else if (service.controller === 'aws-load-balancer-controller' && target.state === 'unhealthy.draining')
      target.stuck = true;
  }
  return [...free, ...service.targets.filter(({ stuck }) => stuck).map(({ instanceId }) => instanceId)];
}

/** What a service controller does that was ensuring the load balancer with the list of nodes from before the label was set. */
export function registerInSpiteOfLabel(world: World, service: SimService, instanceId: string): void {
  register(world, service, instanceId);
  const target = service.targets.find((one) => one.instanceId === instanceId);
  if (target !== undefined) target.stuck = true;
}

function register(world: World, service: SimService, instanceId: string): void {
  service.targets = service.targets.filter((target) => target.instanceId !== instanceId);
  const target: SimTarget = {
    instanceId,
    state: 'initial',
    listed: true,
    checked: false,
    forwards: false,
    passing: false,
    passingSince: world.clock.now(),
    stuck: false,
  };
  service.targets.push(target);
  note(world, `${service.key}: ${instanceId} registers`);
  const { zone = '' } = world.instances.find((one) => one.instanceId === instanceId) ?? {};
  if (service.uncovered?.includes(zone) === true) {
    target.state = 'unused';
    return;
  }
  later(world, world.delays.registration, () => {
    if (target.state !== 'initial') return;
    target.checked = true;
    target.passing = passes(world, service, target);
    target.passingSince = world.clock.now();
    judgeLater(world, service, target);
  });
}

function deregister(world: World, service: SimService, target: SimTarget): void {
  target.state = 'draining';
  note(world, `${service.key}: ${target.instanceId} drains`);
  if (service.connectionDrainMs === 0 && target.forwards) {
    world.traffic.cut += 1;
    note(world, `${service.key}: connections through ${target.instanceId} cut`);
  }
  const connectionDrainMs = service.connectionDrainMs ?? world.delays.deregistration;
  later(world, world.delays.propagation, () => (target.forwards = false));
  later(world, connectionDrainMs, () => (target.listed = false));
  later(world, Math.max(connectionDrainMs, world.delays.propagation), () => {
    service.targets = service.targets.filter((other) => other !== target);
  });
}

function check(world: World, service: SimService, target: SimTarget): void {
  if (!target.checked || target.state === 'draining') return;
  const passing = passes(world, service, target);
  if (passing === target.passing) return;
  target.passing = passing;
  target.passingSince = world.clock.now();
  judgeLater(world, service, target);
}

function judgeLater(world: World, service: SimService, target: SimTarget): void {
  const since = target.passingSince;
  later(world, world.delays.healthInterval * world.delays.healthThreshold, () => {
    if (target.passingSince !== since || target.state === 'draining') return;
    const drains = !target.passing && target.state === 'healthy' && service.unhealthyDrainingMs > 0;
    target.state = target.passing ? 'healthy' : drains ? 'unhealthy.draining' : 'unhealthy';
    target.forwards = target.passing;
    if (drains) {
      later(world, service.unhealthyDrainingMs, () => {
        if (target.state === 'unhealthy.draining') target.state = 'unhealthy';
      });
    }
  });
}
