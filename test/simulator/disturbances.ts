/** What happens to a cluster besides an upgrade: each function changes one thing in the world and lets it react. */
import { excludeLabel } from './membership.ts';
import { later, note, type SimNode, type SimPod, type SimService, type SimWorkload, type World } from './world.ts';

/** The readiness probes of all pods of a workload fail for this long, ms, although the pods would answer. */
export function flap(world: World, workload: string, durationMs: number): void {
  const pods = world.pods.filter((pod) => pod.of === workload);
  for (const pod of pods) pod.failing = true;
  note(world, `pods of ${workload} flap`);
  later(world, durationMs, () => {
    for (const pod of pods) pod.failing = false;
    note(world, `pods of ${workload} have stopped flapping`);
  });
  world.changed();
}

/** A controller does nothing for this long, ms: the one for endpoint slices, for ReplicaSets, or for the cloud's load balancers. */
export function freeze(
  world: World,
  what: 'slicesFrozen' | 'replicaSetsFrozen' | 'controllersFrozen',
  durationMs: number,
): void {
  world.faults[what] = true;
  note(world, `${what} for ${durationMs} ms`);
  later(world, durationMs, () => {
    world.faults[what] = false;
  });
}

/**
 * Changes how many pods a workload should have. A paused one is scaled too, mostly in its largest ReplicaSet, which here takes everything
 * (kubernetes/kubernetes, pkg/controller/deployment/sync.go, sync and scale). One whose Deployment was deleted is not scaled by anybody.
 */
export function scaleTo(world: World, workload: string, replicas: number): void {
  for (const one of world.workloads) {
    if (one.name !== workload || one.away === true) continue;
    const [largest] = (one.frozen ?? []).toSorted((a, b) => b.replicas - a.replicas);
    if (largest !== undefined) largest.replicas = Math.max(0, largest.replicas + replicas - one.replicas);
    one.replicas = replicas;
  }
  note(world, `${workload} is scaled to ${replicas}`);
  world.changed();
}

/** Gives a workload a new template. */
export function rollOut(world: World, workload: string): void {
  for (const one of world.workloads) if (one.name === workload) one.version += 1;
  note(world, `${workload} rolls out`);
  world.changed();
}

/** Changes how many pods of a budget may be unavailable. */
export function setBudget(world: World, name: string, maxUnavailable: number): void {
  for (const budget of world.budgets) if (budget.name === name) budget.maxUnavailable = maxUnavailable;
}

/** Somebody removes the exclude label from a node, with or without our annotation. */
export function removeLabel(world: World, node: SimNode): void {
  delete node.labels[excludeLabel];
  delete node.annotations['nodeferry.dev/excluded-by'];
  note(world, `somebody removes the exclude label of ${node.name}`);
  world.changed();
}

/** Somebody restores the labels of a pod, and leaves our annotation. */
export function restoreLabels(world: World, pod: SimPod): void {
  const released = pod.released === undefined ? {} : { [pod.released.label]: pod.released.value };
  pod.labels = { ...pod.labels, ...released, ...pod.endpointsRemoved?.originalLabels };
  note(world, `somebody restores the labels of ${pod.name}`);
  world.changed();
}

/**
 * The API server is down for this long, ms. When it is back, no kubelet has renewed its lease: every node counts as NotReady until its kubelet has
 * reached the server, some seconds later. kube-proxies keep the endpoints that they knew until they have listed them again.
 */
export function breakApi(world: World, durationMs: number): void {
  world.faults.apiDown = true;
  note(world, 'the API server is away');
  later(world, durationMs, () => {
    world.faults.apiDown = false;
    world.outageAt = world.clock.now();
    world.proxiesBackAt = world.outageAt + slowestProxyMs;
    note(world, 'the API server is back');
    for (const node of world.nodes) loseLease(world, node);
  });
  world.changed();
}

/**
 * A kube-proxy asks again after its backoff, which has doubled with every failure up to 30 s, and randomly is up to twice as long (client-go
 * tools/cache/reflector.go). After 15 s this is the longest that it may still take.
 */
const slowestProxyMs = 26_000;

/** A kubelet reaches the API server within ten seconds of its return (its lease is renewed every ten). */
const maxRenewalMs = 10_000;

function loseLease(world: World, node: SimNode): void {
  if (!node.ready) return;
  node.ready = false;
  node.unknownSince = world.clock.now();
  later(world, 1_000 + world.random() * maxRenewalMs, () => {
    node.ready = true;
    delete node.unknownSince;
  });
}

/** The Service's load balancer does not cover a zone any more, and never did: what is registered there is not used. */
export function uncover(service: SimService, zone: string, world: World): void {
  service.uncovered = [...(service.uncovered ?? []), zone];
  const there = new Set(world.instances.filter((one) => one.zone === zone).map(({ instanceId }) => instanceId));
  for (const target of service.targets)
    if (there.has(target.instanceId)) Object.assign(target, { state: 'unused', checked: false, forwards: false });
  world.changed();
}

/** The Service's load balancer covers all zones: what is registered there is checked from now on. */
export function cover(service: SimService, world: World): void {
  delete service.uncovered;
  service.targets = service.targets.filter(({ state }) => state !== 'unused');
  world.changed();
}

/**
 * The load balancer of a Service has network endpoint groups of nodes: with policy Local of those that host an endpoint, with policy Cluster of a
 * subset of that size.
 */
export function groupNodes(service: SimService, subsetSize: number, world: World): void {
  const membership = service.externalTrafficPolicy === 'Local' ? 'hosts-only' : 'subset';
  Object.assign(service, { membership, subsetSize, returnsAfterDrain: true });
  world.changed();
}

/** Nodes that somebody's label excludes from load balancers. */
export function excludedNodes(world: World): readonly SimNode[] {
  return world.nodes.filter((node) => node.labels[excludeLabel] !== undefined);
}

/** The workload of that name. */
export function workloadNamed(world: World, name: string): SimWorkload {
  const found = world.workloads.find((workload) => workload.name === name);
  if (found === undefined) throw new Error(`the world has no workload ${name}`);
  return found;
}

/** The Service of that name in namespace `default`. */
export function serviceNamed(world: World, name: string): SimService {
  const found = world.services.find((service) => service.key === `default/${name}`);
  if (found === undefined) throw new Error(`the world has no Service ${name}`);
  return found;
}
