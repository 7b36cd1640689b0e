import { NodeferryError } from '../../core/model/problem.ts';
import { endpointsOf, viewOn } from './kubernetes.ts';
import { servingTargets } from './traffic.ts';
import { later, note, type SimInstance, type SimNode, type SimPod, type SimPool, type World } from './world.ts';

/** Boots instances until the pool has its size, as far as the cloud has capacity. */
export function fillPool(world: World, pool: SimPool): void {
  if (pool.status === 'deleting' || pool.suspended.includes('Launch')) return;
  while (livingOf(world, pool).length < pool.desiredSize) {
    const running = world.instances.filter((one) => one.state !== 'terminated').length;
    if (running >= world.faults.capacity) return retryLater(world, pool);
    boot(world, pool, smallestZone(world, pool));
  }
  pool.problems = [];
}

function retryLater(world: World, pool: SimPool): void {
  const problem = 'AsgInstanceLaunchFailures: Insufficient capacity.';
  if (!pool.problems.includes(problem)) pool.problems.push(problem);
  if (retrying.has(pool)) return;
  retrying.add(pool);
  later(world, 30_000, () => {
    retrying.delete(pool);
    if (world.pools.includes(pool)) fillPool(world, pool);
  });
}

const retrying = new WeakSet<object>();

function smallestZone(world: World, pool: SimPool): string {
  const sizeOf = (zone: string) => livingOf(world, pool).filter((one) => one.zone === zone).length;
  const excessOf = (zone: string) => sizeOf(zone) - (pool.needs?.[zone] ?? 0);
  return pool.zones.toSorted((a, b) => excessOf(a) - excessOf(b))[0] ?? 'zone-a';
}

/**
 * Auto Scaling's AZRebalance: a zone with two instances fewer than another gets one, and when that runs the larger zone loses one, whatever it serves
 * (Amazon EC2 Auto Scaling user guide, "Rebalancing activities").
 */
export function rebalancePools(world: World): void {
  for (const pool of world.pools) {
    if (
      pool.status !== 'active' ||
      pool.needs !== undefined ||
      pool.suspended.some((process) => process === 'AZRebalance' || process === 'Launch') ||
      rebalancing.has(pool)
    )
      continue;
    const living = () => livingOf(world, pool);
    if (living().length !== pool.desiredSize) continue;
    const sizes = pool.zones.map((zone) => ({ zone, size: living().filter((one) => one.zone === zone).length }));
    const [least, most] = [sizes.toSorted((a, b) => a.size - b.size)[0], sizes.toSorted((a, b) => b.size - a.size)[0]];
    if (least === undefined || most === undefined || most.size - least.size < 2) continue;
    rebalancing.add(pool);
    note(world, `pool ${pool.name} is rebalanced from ${most.zone} to ${least.zone}`);
    boot(world, pool, least.zone);
    later(world, world.delays.boot + 1_000, () => {
      rebalancing.delete(pool);
      const victim = living().find((one) => one.zone === most.zone && one.state === 'running');
      if (victim !== undefined && living().length > pool.desiredSize) terminate(world, victim);
    });
  }
}

const rebalancing = new WeakSet<object>();

/** Instances that count towards the pool's size. */
function livingOf(world: World, pool: SimPool): readonly SimInstance[] {
  return world.instances.filter(
    (one) =>
      one.pool === pool.name &&
      one.isHeld !== true &&
      (one.unnoticed === true || one.state === 'pending' || one.state === 'running'),
  );
}

/**
 * Somebody terminates an instance without Auto Scaling. Its next health check notices it and another instance replaces it, unless the process for
 * that is suspended (Auto Scaling user guide, "Suspend and resume processes").
 */
export function endBehindBack(world: World, instance: SimInstance): void {
  terminate(world, instance);
  instance.unnoticed = true;
  noticeLater(world, instance);
}

function noticeLater(world: World, instance: SimInstance): void {
  later(world, world.delays.instanceCheck, () => {
    const pool = world.pools.find((one) => one.name === instance.pool);
    if (instance.unnoticed !== true || pool === undefined) return;
    if (pool.suspended.includes('ReplaceUnhealthy')) return noticeLater(world, instance);
    delete instance.unnoticed;
    fillPool(world, pool);
  });
}

/**
 * Auto Scaling terminates an instance. A lifecycle hook of its pool keeps it running, and its node serves as before, until the time of the hook is over
 * (Auto Scaling user guide, "Lifecycle hooks"; EKS gives every managed node group one of 30 minutes).
 */
export function terminateAfterHook(world: World, pool: SimPool, instance: SimInstance): void {
  if (pool.terminationHookMs === undefined) return terminate(world, instance);
  instance.isHeld = true;
  later(world, pool.terminationHookMs, () => {
    delete instance.isHeld;
    terminate(world, instance);
  });
}

/** Terminates an instance; what it served breaks at once. */
export function terminate(world: World, instance: SimInstance): void {
  if (instance.state === 'terminating' || instance.state === 'terminated') return;
  world.terminations.set(instance.instanceId, (world.terminations.get(instance.instanceId) ?? 0) + 1);
  judgeTermination(world, instance);
  instance.state = 'terminating';
  instance.alive = false;
  const node = world.nodes.find((one) => one.instanceId === instance.instanceId);
  note(world, `${instance.instanceId} (${node?.name ?? 'no node'}) terminates`);
  later(world, world.delays.instanceGone, () => (instance.state = 'terminated'));
  if (node === undefined) return;
  later(world, world.delays.nodeForgotten, () => (node.ready = false));
  later(world, world.delays.nodeForgotten + 2_000, () => forgetNode(world, node.uid));
}

/**
 * The collector of orphaned pods runs every 20 s, and believes that a node is gone 40 s after it has missed it, ms (Kubernetes 1.36,
 * pkg/controller/podgc/gc_controller.go, gcCheckPeriod and quarantineTime).
 */
const orphansGoInMs = 60_000;

/** Removes a Node object; its pods are removed with it, at once when its kubelet has stopped them. */
export function forgetNode(world: World, uid: string): void {
  const node = world.nodes.find((one) => one.uid === uid);
  if (node === undefined) return;
  world.nodes = world.nodes.filter((one) => one.uid !== uid);
  const removePods = () => {
    world.pods = world.pods.filter((pod) => pod.node !== node.name);
  };
  if (node.silent === true) later(world, orphansGoInMs, removePods);
  else removePods();
}

/** Returns a pool, or throws when there is none. */
export function poolNamed(world: World, name: string): SimPool {
  const pool = world.pools.find((one) => one.name === name);
  if (pool === undefined) {
    throw new NodeferryError({
      code: 'PoolNotFound',
      message: `node group ${name} does not exist`,
      hint: 'check pool.name',
    });
  }
  return pool;
}

/** Deletes a pool with all instances that it still has. */
export function deletePool(world: World, pool: SimPool): void {
  if (pool.status === 'deleting') return;
  pool.status = 'deleting';
  for (const instance of world.instances) {
    if (instance.pool === pool.name && instance.state !== 'terminated') terminate(world, instance);
  }
  later(world, world.delays.instanceGone + 5_000, () => {
    world.pools = world.pools.filter((one) => one !== pool);
  });
}

function boot(world: World, pool: SimPool, zone: string): void {
  const number = world.instances.length + 1;
  const instance: SimInstance = { instanceId: `i-${number}`, zone, state: 'pending', pool: pool.name, alive: false };
  world.instances.push(instance);
  const broken = pool.createdBy !== undefined && world.faults.neverReady > 0;
  if (broken) world.faults.neverReady -= 1;
  const joins = world.faults.neverJoining === 0;
  if (!joins) world.faults.neverJoining -= 1;
  later(world, world.delays.boot, () => {
    if (instance.state !== 'pending') return;
    instance.state = 'running';
    instance.alive = true;
    if (!joins) return;
    const name = `ip-10-0-0-${number}`;
    const node = {
      name,
      uid: `uid-${name}`,
      instanceId: instance.instanceId,
      zone,
      pool: pool.name,
      kubeletVersion: pool.version,
      ready: false,
      cordoned: false,
      labels: { 'eks.amazonaws.com/nodegroup': pool.name, 'topology.kubernetes.io/zone': zone },
      annotations: {},
      taints: [],
    };
    world.nodes.push(node);
    if (!broken) {
      later(world, world.delays.nodeReady, () => {
        if (instance.alive) node.ready = true;
      });
    }
  });
}

/** Checks the invariants on terminating this instance now. */
function judgeTermination(world: World, instance: SimInstance): void {
  const node = world.nodes.find((one) => one.instanceId === instance.instanceId);
  // An instance without power serves nobody: nothing ends with it.
  if (node === undefined || !instance.alive) return;
  const runsOn = (pod: SimPod) => pod.node === node.name && pod.stopped !== true;
  const left = world.pods.filter((pod) => runsOn(pod) && pod.ownerKind !== 'DaemonSet' && !pod.mirror);
  if (left.length > 0)
    world.violations.push(`${node.name} terminated with pods ${left.map((pod) => pod.name).join(', ')}`);
  for (const service of world.services) {
    const target = service.targets.find((one) => one.instanceId === instance.instanceId);
    if (target?.forwards === true) world.violations.push(`${node.name} terminated while ${service.key} sent to it`);
    const last = world.lastForwarded.get(`${service.key} ${instance.instanceId}`) ?? 0;
    if (service.type === 'LoadBalancer' && service.externalTrafficPolicy === 'Cluster' && last > 0) {
      if (world.clock.now() < last + world.delays.connectionAge) {
        world.traffic.cut += 1;
        note(world, `${service.key}: connections through ${node.name} reset`);
      }
    }
    if (viewOn(service, node).some((endpoint) => endpoint.node === node.name && !endpoint.terminating)) {
      world.violations.push(`${node.name} terminated while it held endpoints of ${service.key}`);
    }
    const workload = world.workloads.find((one) => one.kind === 'Deployment' && service.key === `default/${one.name}`);
    const before = node.scalesWhenExcluded?.[workload?.name ?? ''] ?? Number.POSITIVE_INFINITY;
    const replicas = workload === undefined ? undefined : Math.min(workload.replicas, before);
    if (replicas !== undefined && service.type === 'LoadBalancer') {
      const healthy = servingTargets(world, service);
      // Whether probes pass at this very moment is not the run's doing.
      const there = endpointsOf(world, service.selector).filter((pod) => pod.started && !pod.terminating).length;
      note(world, `${service.key}: ${there}/${replicas} endpoints, ${healthy} serving targets as ${node.name} goes`);
      if (there < replicas && !othersMove(world, node))
        world.violations.push(`${node.name} terminated with ${there} of ${replicas} endpoints of ${service.key}`);
    }
  }
}

/** Records when each load balancer last sent a new connection to each instance. */
export function rememberForwarding(world: World, now: number): void {
  for (const service of world.services) {
    for (const target of service.targets) {
      if (target.forwards) world.lastForwarded.set(`${service.key} ${target.instanceId}`, now);
    }
  }
}

/** While another node is in progress, its own pods may be missing. */
function othersMove(world: World, node: SimNode): boolean {
  return world.nodes.some((other) => other !== node && other.annotations['nodeferry.dev/excluded-by'] !== undefined);
}
