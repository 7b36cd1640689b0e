import type { TolerationFacts } from '../../core/model/pod.ts';
import {
  later,
  matches,
  note,
  type SimNode,
  type SimPod,
  type SimService,
  type SimWorkload,
  type World,
} from './world.ts';

/** What DaemonSet pods tolerate without being asked: cordons, not the taint of a retiring node. */
export const daemonTolerations: TolerationFacts[] = [
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

/** The controllers of the cluster: ReplicaSets, DaemonSets, scheduler, kubelets, endpoints. Runs after every change. */
export function reconcileCluster(world: World): void {
  clearAway(world);
  for (const pod of world.pods) pod.ready = isReady(world, pod);
  for (const workload of world.workloads) {
    if (workload.kind === 'Deployment') reconcileReplicas(world, workload);
    else reconcileDaemons(world, workload);
  }
  for (const pod of world.pods) schedule(world, pod);
  publishEndpoints(world);
}

/** What the kubelet says of a pod, or the node lifecycle controller when it hears nothing from the kubelet. */
function isReady(world: World, pod: SimPod): boolean {
  const node = world.nodes.find((one) => one.name === pod.node);
  return pod.started && !pod.failing && !pod.terminating && node?.ready === true;
}

/** Deletes a pod the way the API server and a kubelet do: it stops accepting at once (no preStop), and is gone later. */
export function deletePod(world: World, pod: SimPod): void {
  if (pod.terminating) return;
  pod.terminating = true;
  pod.killedAt = world.clock.now() + pod.terminationGracePeriodSeconds * 1000;
  pod.ready = false;
  pod.accepts = pod.preStopSeconds > 0 && pod.node !== undefined;
  if (pod.accepts) later(world, pod.preStopSeconds * 1000, () => (pod.accepts = false));
  note(world, `pod ${pod.name} on ${pod.node ?? 'no node'} terminates`);
  const takes = world.delays.podGone + pod.preStopSeconds * 1000;
  pod.goneAt = world.clock.now() + takes;
  later(world, takes, () => undefined);
}

/** What kubelets have stopped is gone, as far as nothing keeps the containers or the object. */
function clearAway(world: World): void {
  const stopped = world.pods.filter(
    (pod) => pod.goneAt !== undefined && pod.goneAt <= world.clock.now() && pod.stuck !== true,
  );
  for (const pod of stopped) {
    pod.stopped = true;
    pod.phase = 'Succeeded';
  }
  world.pods = world.pods.filter((pod) => !stopped.includes(pod) || (pod.finalizers ?? []).length > 0);
}

/** Pods behind a Service as the API shows them at this moment. */
export function endpointsOf(world: World, selector: Readonly<Record<string, string>>): readonly SimPod[] {
  return world.pods.filter((pod) => pod.node !== undefined && matches(selector, pod.labels));
}

const slices = new WeakMap<object, readonly SimPod[]>();

/** Pods in a Service's EndpointSlices: as they are, or as they were when the slices' controller stopped. */
export function slicesOf(world: World, service: SimService): readonly SimPod[] {
  const last = slices.get(service);
  if (world.faults.slicesFrozen && last !== undefined) return last;
  const now = endpointsOf(world, service.selector).map((pod) => ({ ...pod }));
  slices.set(service, now);
  return now;
}

function reconcileReplicas(world: World, workload: SimWorkload): void {
  for (const pod of world.pods) {
    const fits = matches(workload.selector, pod.labels);
    if (pod.of === workload.name && pod.ownerKind === 'ReplicaSet' && !fits) release(pod);
    if (pod.of === workload.name && pod.ownerKind === 'none' && fits && !pod.terminating) adopt(pod, workload);
  }
  const owned = world.pods.filter(
    (pod) => pod.ownerKind === 'ReplicaSet' && pod.ownerName === `${workload.name}-1` && !pod.terminating,
  );
  const old = owned.filter((pod) => pod.version < workload.version);
  const surge = Math.min(1, old.length);
  const missing = workload.replicas + surge - owned.length - workload.creating;
  for (let i = 0; i < missing; i++) {
    workload.creating += 1;
    later(world, 200, () => {
      workload.creating -= 1;
      world.pods.push(newPod(world, workload, undefined));
    });
  }
  if (old.length > 0) return exchange(world, workload, owned, old);
  const surplus = [...owned].sort((a, b) => Number(a.ready) - Number(b.ready) || b.createdAt - a.createdAt);
  for (const pod of surplus.slice(0, Math.max(0, owned.length - workload.replicas))) deletePod(world, pod);
}

/** A rollout takes an old pod once more than enough are ready, or one that is not ready anyway. */
function exchange(world: World, workload: SimWorkload, owned: readonly SimPod[], old: readonly SimPod[]): void {
  const idle = old.find((pod) => !pod.ready);
  const spare = owned.filter((pod) => pod.ready).length > workload.replicas;
  const next = idle ?? (spare ? old[0] : undefined);
  if (next !== undefined && owned.length > workload.replicas) deletePod(world, next);
}

function release(pod: SimPod): void {
  pod.ownerKind = 'none';
  pod.ownerName = '';
  delete (pod as { workload?: unknown }).workload;
  delete (pod as { ownerSelector?: unknown }).ownerSelector;
}

function adopt(pod: SimPod, workload: SimWorkload): void {
  pod.ownerKind = 'ReplicaSet';
  pod.ownerName = `${workload.name}-1`;
  pod.ownerSelector = workload.selector;
  pod.workload = `Deployment default/${workload.name}`;
}

function reconcileDaemons(world: World, workload: SimWorkload): void {
  for (const node of world.nodes) {
    const there = world.pods.some((pod) => pod.ownerName === workload.name && pod.node === node.name);
    if (there || !node.ready || !tolerates(workload.tolerations, node)) continue;
    const pod = newPod(world, workload, undefined);
    world.pods.push(pod);
    bind(world, pod, node);
  }
}

function newPod(world: World, workload: SimWorkload, node: string | undefined): SimPod {
  const daemon = workload.kind === 'DaemonSet';
  const name = world.nextId(workload.name);
  return {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    node,
    labels: { ...workload.labels },
    ownerKind: daemon ? 'DaemonSet' : 'ReplicaSet',
    ownerName: daemon ? workload.name : `${workload.name}-1`,
    ...(daemon ? {} : { ownerSelector: workload.selector }),
    phase: 'Pending',
    ready: false,
    terminating: false,
    mirror: false,
    started: false,
    failing: false,
    hostNetwork: false,
    hasEmptyDir: false,
    preStopSeconds: workload.preStopSeconds,
    // Its owner has given it the time that it takes.
    terminationGracePeriodSeconds: Math.max(30, Math.ceil(world.delays.podGone / 1000) + workload.preStopSeconds),
    tolerations: workload.tolerations,
    accepts: false,
    of: workload.name,
    version: workload.version,
    workload: `${workload.kind} default/${workload.name}`,
    createdAt: world.clock.now(),
  };
}

function schedule(world: World, pod: SimPod): void {
  if (pod.node !== undefined || pod.terminating || pod.phase !== 'Pending') return;
  const fit = world.nodes
    .filter((node) => node.ready && !node.cordoned && tolerates(pod.tolerations, node))
    .sort((a, b) => load(world, pod, a) - load(world, pod, b) || a.name.localeCompare(b.name));
  const node = fit[0];
  if (node === undefined) pod.unschedulableReason = `0/${world.nodes.length} nodes are available`;
  else bind(world, pod, node);
}

function load(world: World, pod: SimPod, node: SimNode): number {
  const sameApp = world.pods.filter((other) => other.node === node.name && other.of === pod.of);
  return sameApp.length * 100 + world.pods.filter((other) => other.node === node.name).length;
}

function bind(world: World, pod: SimPod, node: SimNode): void {
  pod.node = node.name;
  delete (pod as { unschedulableReason?: unknown }).unschedulableReason;
  later(world, world.delays.podReady, () => {
    if (pod.terminating || !world.nodes.some((other) => other.uid === node.uid)) return;
    pod.phase = 'Running';
    pod.started = true;
    pod.accepts = true;
  });
}

function tolerates(tolerations: readonly TolerationFacts[], node: SimNode): boolean {
  const taints = node.cordoned
    ? [...node.taints, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' as const }]
    : node.taints;
  return taints.every(
    (taint) =>
      taint.effect === 'PreferNoSchedule' ||
      tolerations.some((one) => (one.key === undefined && one.operator === 'Exists') || one.key === taint.key),
  );
}

/** kube-proxies learn of endpoints only after the endpoint delay. */
function publishEndpoints(world: World): void {
  if (world.faults.slicesFrozen) return;
  for (const service of world.services) {
    const now = endpointsOf(world, service.selector)
      .filter((pod) => pod.ready || (pod.terminating && pod.accepts))
      .map((pod) => ({ podUid: pod.uid, node: pod.node ?? '', terminating: pod.terminating }));
    const text = JSON.stringify(now);
    if (published.get(service) === text) continue;
    published.set(service, text);
    later(world, world.delays.endpoints, () => (service.view = now));
  }
}

const published = new WeakMap<object, string>();
