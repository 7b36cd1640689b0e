/** Nodes whose kubelets no longer report, and how the controllers of Kubernetes react. */
import { deletePod } from './pods.ts';
import { later, note, type SimNode, type World } from './world.ts';

/**
 * A node counts as unknown when neither its status nor its lease was renewed for this long, ms (kube-controller-manager,
 * `--node-monitor-grace-period`: 50 s since Kubernetes 1.32, 40 s before).
 */
const graceMs = 50_000;

/**
 * Pods tolerate an unreachable node for this long, ms, unless they say otherwise (admission plugin DefaultTolerationSeconds); then they are told to
 * stop. Those of DaemonSets tolerate it for good.
 */
const toleratedMs = 300_000;

/**
 * The node loses power: nothing on it answers any more, and nothing is notified. The cloud believes that the instance runs, and without its kubelet
 * no pod is confirmed to have ended.
 */
export function losePower(world: World, node: SimNode): void {
  const instance = world.instances.find(({ instanceId }) => instanceId === node.instanceId);
  if (instance !== undefined) instance.alive = false;
  note(world, `${node.name} loses power`);
  fallSilent(world, node);
}

/** The node can't reach the API server any more. Everything on it runs and keeps serving, whether or not it was told to stop. */
export function cutOff(world: World, node: SimNode): void {
  node.believes = new Map(world.services.map(({ key, view }) => [key, view]));
  note(world, `${node.name} is cut off from the API server`);
  fallSilent(world, node);
}

/** Its kubelet is heard from again, and does what it was told meanwhile. */
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
