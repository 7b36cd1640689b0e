import { later, note, type SimService, type SimTarget, type World } from './world.ts';

/** Cloud controller and load balancers: registration, health checks, deregistration. Runs after every change. */
export function reconcileLoadBalancers(world: World): void {
  for (const service of world.services) {
    if (service.type !== 'LoadBalancer') continue;
    reconcileRegistrations(world, service);
    for (const target of service.targets) check(world, service, target);
  }
}

/** Whether the target would pass a health check right now. */
export function passes(world: World, service: SimService, target: SimTarget): boolean {
  const instance = world.instances.find((one) => one.instanceId === target.instanceId);
  const node = world.nodes.find((one) => one.instanceId === target.instanceId);
  if (instance?.alive !== true || node === undefined) return false;
  return service.externalTrafficPolicy === 'Cluster' || service.view.some((endpoint) => endpoint.node === node.name);
}

function wanted(world: World): string[] {
  return world.nodes
    .filter((node) => node.labels['node.kubernetes.io/exclude-from-external-load-balancers'] === undefined)
    .map((node) => node.instanceId);
}

function reconcileRegistrations(world: World, service: SimService): void {
  const want = wanted(world);
  const registered = service.targets.filter((target) => target.state !== 'draining');
  const differs =
    want.some((id) => !registered.some((target) => target.instanceId === id)) ||
    registered.some((target) => !want.includes(target.instanceId));
  if (!differs || reacting.has(service)) return;
  reacting.add(service);
  later(world, world.delays.cloudController, () => {
    reacting.delete(service);
    const current = wanted(world);
    for (const target of service.targets) {
      if (target.state !== 'draining' && !current.includes(target.instanceId)) deregister(world, service, target);
    }
    for (const id of current) {
      const known = service.targets.find((target) => target.instanceId === id);
      if (known === undefined || known.state === 'draining') register(world, service, id);
    }
  });
}

const reacting = new WeakSet<object>();

function register(world: World, service: SimService, instanceId: string): void {
  service.targets = service.targets.filter((target) => target.instanceId !== instanceId);
  const target: SimTarget = {
    instanceId,
    state: 'initial',
    listed: true,
    forwards: false,
    passing: false,
    passingSince: world.clock.now(),
  };
  service.targets.push(target);
  note(world, `${service.key}: ${instanceId} registers`);
  later(world, world.delays.registration, () => {
    if (target.state !== 'initial') return;
    target.state = 'unhealthy';
    target.passing = passes(world, service, target);
    target.passingSince = world.clock.now();
    judgeLater(world, target);
  });
}

function deregister(world: World, service: SimService, target: SimTarget): void {
  target.state = 'draining';
  note(world, `${service.key}: ${target.instanceId} drains`);
  later(world, world.delays.propagation, () => (target.forwards = false));
  later(world, world.delays.deregistration, () => (target.listed = false));
  later(world, Math.max(world.delays.deregistration, world.delays.propagation), () => {
    service.targets = service.targets.filter((other) => other !== target);
  });
}

function check(world: World, service: SimService, target: SimTarget): void {
  if (target.state === 'initial' || target.state === 'draining') return;
  const passing = passes(world, service, target);
  if (passing === target.passing) return;
  target.passing = passing;
  target.passingSince = world.clock.now();
  judgeLater(world, target);
}

function judgeLater(world: World, target: SimTarget): void {
  const since = target.passingSince;
  later(world, world.delays.healthInterval * world.delays.healthThreshold, () => {
    if (target.passingSince !== since || target.state === 'draining' || target.state === 'initial') return;
    target.state = target.passing ? 'healthy' : 'unhealthy';
    target.forwards = target.passing;
  });
}
