import { later, note, type SimPod, type World } from './world.ts';

/** Adds a pod of nobody's workload to a node: running, ready, and no endpoint of any Service, unless the changes say so. */
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

/** The pod runs to its end in so long, ms, unless it is told to stop before. */
export function finishIn(world: World, pod: SimPod, ms: number): void {
  later(world, ms, () => {
    if (pod.terminating) return;
    pod.phase = 'Succeeded';
    note(world, `pod ${pod.name} has run to its end`);
  });
}
