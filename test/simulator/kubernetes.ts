import type { TolerationFacts } from '../../core/model/pod.ts';
import { deletePod, newPod } from './pods.ts';
import { reconcileReplicas } from './replica-sets.ts';
import { chooseNode, tolerates } from './scheduler.ts';
import {
  later,
  matches,
  type SimNode,
  type SimPod,
  type SimService,
  type SimWorkload,
  selectorOf,
  type World,
} from './world.ts';

/** What DaemonSet pods tolerate by default: cordons, but not the taint of a disrupted node. */
export const daemonTolerations: TolerationFacts[] = [
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

/** The controllers of the cluster: ReplicaSets, DaemonSets, scheduler, kubelets, endpoints. Runs after every change. */
export function reconcileCluster(world: World): void {
  clearAway(world);
  for (const pod of world.pods) updateReadiness(world, pod);
  for (const workload of world.workloads) {
    if (workload.kind !== 'Deployment') reconcileDaemons(world, workload);
    else if (!world.faults.replicaSetsFrozen) reconcileReplicas(world, workload);
  }
  for (const pod of world.pods) schedule(world, pod);
  publishEndpoints(world);
}

/** Updates the Ready condition, with the time at which it changed. */
function updateReadiness(world: World, pod: SimPod): void {
  const ready = isReady(world, pod);
  if (ready !== pod.ready) pod.turnedAt = world.clock.now();
  pod.ready = ready;
  if (ready) delete (pod as { unreadySince?: unknown }).unreadySince;
  else pod.unreadySince = pod.turnedAt ?? pod.createdAt;
}

/** What the kubelet reports of a pod, or the node lifecycle controller when it hears nothing from the kubelet. */
function isReady(world: World, pod: SimPod): boolean {
  const node = world.nodes.find((one) => one.name === pod.node);
  return pod.started && !pod.failing && !pod.terminating && node?.ready === true;
}

/** Removes what kubelets have stopped, unless something keeps the containers or the object. */
function clearAway(world: World): void {
  const due = world.pods.filter((pod) => pod.goneAt !== undefined && pod.goneAt <= world.clock.now());
  const stopped = due.filter((pod) => pod.stuck !== true && !isSilent(world, pod));
  for (const pod of stopped) {
    pod.stopped = true;
    pod.phase = 'Succeeded';
  }
  world.pods = world.pods.filter((pod) => !stopped.includes(pod) || (pod.finalizers ?? []).length > 0);
}

/** Nobody reports whether its containers have stopped. */
function isSilent(world: World, pod: SimPod): boolean {
  return world.nodes.some(({ name, silent }) => name === pod.node && silent === true);
}

/** Pods behind a Service as the API shows them at this moment: none that has failed (k8s.io/endpointslice, ShouldPodBeInEndpoints). */
export function endpointsOf(world: World, selector: Readonly<Record<string, string>>): readonly SimPod[] {
  const selects = selectorOf(selector);
  return world.pods.filter((pod) => pod.node !== undefined && pod.phase !== 'Failed' && selects(pod.labels));
}

const slices = new WeakMap<object, readonly SimPod[]>();

/** Pods in a Service's EndpointSlices: as they are, or as they were when the controller of the slices stopped. */
export function slicesOf(world: World, service: SimService): readonly SimPod[] {
  const last = slices.get(service);
  if (world.faults.slicesFrozen && last !== undefined) return last;
  const now = endpointsOf(world, service.selector).map((pod) => ({ ...pod }));
  slices.set(service, now);
  return now;
}

function reconcileDaemons(world: World, workload: SimWorkload): void {
  takePods(world, workload);
  for (const node of world.nodes) {
    const there = world.pods.some((pod) => pod.ownerName === workload.name && pod.node === node.name);
    if (there || !node.ready || !tolerates(workload.tolerations, node)) continue;
    const pod = newPod(world, workload);
    world.pods.push(pod);
    bind(world, pod, node);
  }
}

/**
 * A DaemonSet adopts pods without an owner that it selects, whoever created them, and deletes all of its pods on a node except the oldest (Kubernetes
 * 1.36, pkg/controller/daemon/daemon_controller.go, getNodesToDaemonPods and podsShouldBeOnNode).
 */
function takePods(world: World, { name, selector }: SimWorkload): void {
  for (const pod of world.pods) {
    if (pod.ownerKind !== 'none' || pod.terminating || !matches(selector, pod.labels)) continue;
    pod.ownerKind = 'DaemonSet';
    pod.ownerName = name;
  }
  const own = world.pods.filter((pod) => pod.ownerKind === 'DaemonSet' && pod.ownerName === name && !pod.terminating);
  for (const onNode of Map.groupBy(own, ({ node }) => node).values())
    for (const pod of onNode.toSorted((a, b) => a.createdAt - b.createdAt).slice(1)) deletePod(world, pod);
}

function schedule(world: World, pod: SimPod): void {
  if (pod.node !== undefined || pod.terminating || pod.phase !== 'Pending') return;
  const node = chooseNode(world, pod);
  if (node === undefined) pod.unschedulableReason = `0/${world.nodes.length} nodes are available`;
  else bind(world, pod, node);
}

/** What scheduler and kubelet do: the pod is bound to the node, and runs there after a while. */
export function bind(world: World, pod: SimPod, node: SimNode): void {
  pod.node = node.name;
  delete (pod as { unschedulableReason?: unknown }).unschedulableReason;
  later(world, world.delays.podReady, () => {
    if (pod.terminating || !world.nodes.some(({ uid, silent }) => uid === node.uid && silent !== true)) return;
    pod.phase = 'Running';
    pod.started = true;
    pod.accepts = true;
  });
}

/** Endpoints of a Service as the kube-proxy of that node knows them. */
export function viewOn(service: SimService, node: SimNode): SimService['view'] {
  return node.believes?.get(service.key) ?? service.view;
}

/** kube-proxies learn of endpoints only after the endpoint delay. */
function publishEndpoints(world: World): void {
  if (world.faults.slicesFrozen || world.faults.apiDown) return;
  const heardIn = Math.max(world.delays.endpoints, (world.proxiesBackAt ?? 0) - world.clock.now());
  for (const service of world.services) {
    const now = endpointsOf(world, service.selector)
      .filter((pod) => pod.ready || (pod.terminating && pod.accepts))
      .map((pod) => ({ podUid: pod.uid, node: pod.node ?? '', terminating: pod.terminating }));
    const text = JSON.stringify(now);
    if (published.get(service) === text) continue;
    published.set(service, text);
    later(world, heardIn, () => (service.view = now));
  }
}

const published = new WeakMap<object, string>();
