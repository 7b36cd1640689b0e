import type { BesideFacts } from '../../core/model/pod.ts';
import { later, note, type SimPod, type SimWorkload, type World } from './world.ts';

/** Adds a pod without a workload to a node: running, ready, and not an endpoint of any Service, unless the changes say so. */
export function addPod(world: World, name: string, node: string, changes: Partial<SimPod> = {}): SimPod {
  const pod: SimPod = {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    node,
    labels: {},
    ownerKind: 'other',
    ownerName: name,
    phase: 'Running',
    ready: true,
    terminating: false,
    mirror: false,
    hostNetwork: false,
    hasEmptyDir: false,
    preStopSeconds: 0,
    terminationGracePeriodSeconds: 30,
    tolerations: [],
    accepts: true,
    started: true,
    failing: false,
    of: name,
    version: 1,
    createdAt: world.clock.now(),
    ...changes,
  };
  world.pods.push(pod);
  world.changed();
  return pod;
}

/** The pod finishes after this long, ms, unless it is told to stop before. */
export function finishIn(world: World, pod: SimPod, ms: number): void {
  later(world, ms, () => {
    if (pod.terminating) return;
    pod.phase = 'Succeeded';
    note(world, `pod ${pod.name} has run to its end`);
  });
}

/** Label by which the ReplicaSet of one version of a template distinguishes its pods from others. */
export function templateHash(version: number): Readonly<Record<string, string>> {
  return { 'pod-template-hash': `hash-${version}` };
}

/** Name of the ReplicaSet of that version. */
export function replicaSetName(workload: string, version: number): string {
  return `${workload}-${version}`;
}

/** Required affinity to pods of that workload by host. */
export function besideOnHost(workload: string): BesideFacts {
  const selector = { matchLabels: { app: workload } };
  return { topologyKey: 'kubernetes.io/hostname', selector, namespaces: ['default'] };
}

/** A new pod of the workload, not bound to a node yet. */
export function newPod(world: World, workload: SimWorkload, version = workload.version): SimPod {
  const daemon = workload.kind === 'DaemonSet';
  const name = world.nextId(workload.name);
  return {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    node: undefined,
    labels: { ...workload.labels, ...(daemon ? {} : templateHash(version)) },
    ownerKind: daemon ? 'DaemonSet' : 'ReplicaSet',
    ownerName: daemon ? workload.name : replicaSetName(workload.name, version),
    ownerUid: `uid-of-${daemon ? workload.name : replicaSetName(workload.name, version)}`,
    ...(daemon ? {} : { ownerSelector: { ...workload.selector, ...templateHash(version) } }),
    phase: 'Pending',
    ready: false,
    terminating: false,
    mirror: false,
    started: false,
    failing: false,
    hostNetwork: false,
    hasEmptyDir: false,
    preStopSeconds: workload.preStopSeconds,
    // Its owner has set a grace period that is long enough.
    terminationGracePeriodSeconds: Math.max(30, Math.ceil(world.delays.podGone / 1000) + workload.preStopSeconds),
    tolerations: workload.tolerations,
    ...(workload.spreads === undefined ? {} : { spreads: workload.spreads }),
    ...(workload.beside === undefined ? {} : { besides: [besideOnHost(workload.beside)] }),
    accepts: false,
    of: workload.name,
    version,
    workload: `${workload.kind} default/${workload.name}`,
    createdAt: world.clock.now(),
  };
}

/** Deletes a pod as the API server and a kubelet do: it stops accepting at once (no preStop hook), and is gone later. */
export function deletePod(world: World, pod: SimPod): void {
  if (pod.terminating) return;
  pod.terminating = true;
  pod.killedAt = world.clock.now() + pod.terminationGracePeriodSeconds * 1000;
  pod.ready = false;
  note(world, `pod ${pod.name} on ${pod.node ?? 'no node'} terminates`);
  // If its kubelet can't be reached, its containers keep running.
  if (world.nodes.some(({ name, silent }) => name === pod.node && silent === true)) return;
  pod.accepts = pod.preStopSeconds > 0 && pod.node !== undefined;
  if (pod.accepts) later(world, pod.preStopSeconds * 1000, () => (pod.accepts = false));
  const takes = world.delays.podGone + pod.preStopSeconds * 1000;
  pod.goneAt = world.clock.now() + takes;
  later(world, takes, () => undefined);
}
