/** Nodes whose kubelets say nothing any more, and what the controllers of Kubernetes make of that. */
import { deletePod } from './pods.ts';
import { later, note, type SimNode, type World } from './world.ts';

/**
 * A node counts as unknown when neither its status nor its lease was renewed for so long, ms (kube-controller-manager,
 * `--node-monitor-grace-period`: 50 s since Kubernetes 1.32, 40 s before).
 */
const graceMs = 50_000;

/**
 * Pods bear an unreachable node for so long, ms, unless they say otherwise (admission plugin DefaultTolerationSeconds); then they are told to
 * stop. Those of DaemonSets bear it for good.
 */
const toleratedMs = 300_000;

/**
 * Loses power: nothing on it answers any more, and nobody is told. The cloud takes the machine for running; a kubelet that is gone confirms
 * the end of no pod.
 */
export function losePower(world: World, node: SimNode): void {
  const machine = world.instances.find(({ instanceId }) => instanceId === node.instanceId);
  if (machine !== undefined) machine.alive = false;
  note(world, `${node.name} loses power`);
  fallSilent(world, node);
}

/** The node can't reach the API server any more; everything on it runs and serves on, told to stop or not. */
export function cutOff(world: World, node: SimNode): void {
  node.believes = new Map(world.services.map(({ key, view }) => [key, view]));
  note(world, `${node.name} is cut off from the API server`);
  fallSilent(world, node);
}

/** Its kubelet is heard again, and does what it was told meanwhile. */
export function reconnect(world: World, node: SimNode): void {
  note(world, `the kubelet of ${node.name} is heard again`);
  delete node.silent;
  delete node.believes;
  delete node.unknownSince;
  node.ready = true;
  for (const pod of world.pods) {
    if (pod.node !== node.name || !pod.terminating) continue;
    pod.accepts = false;
    pod.goneAt = world.clock.now() + world.delays.podGone;
  }
  later(world, world.delays.podGone, () => undefined);
  world.changed();
}

function fallSilent(world: World, node: SimNode): void {
  node.silent = true;
  later(world, graceMs, () => {
    if (node.silent !== true) return;
    node.ready = false;
    node.unknownSince = world.clock.now();
    note(world, `${node.name} is not heard of any more`);
  });
  later(world, graceMs + toleratedMs, () => {
    if (node.silent !== true) return;
    for (const pod of world.pods) if (pod.node === node.name && pod.ownerKind !== 'DaemonSet') deletePod(world, pod);
  });
  world.changed();
}
