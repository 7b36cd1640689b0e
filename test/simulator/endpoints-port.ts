import type { PodRef } from '../../core/model/pod.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import { deniedInTrial, protectFromPruners, requireAllowed, unprotectFromPruners } from './ownership-port.ts';
import { matches, note, type SimPod, type World } from './world.ts';

type Endpoints = Pick<Cluster, 'removeEndpoints' | 'tryRemoveEndpoints' | 'restoreEndpoints'>;

/** The operations of the Cluster port between a pod and the endpoints of its Services. */
export function createSimEndpoints(world: World, podOf: (ref: PodRef) => SimPod | undefined): Endpoints {
  return {
    removeEndpoints: async (ref, removeLabels, run) => {
      const pod = podOf(ref);
      if (pod === undefined || pod.terminating) return 'gone';
      requireAllowed(world, pod, 'remove-endpoints');
      judgeLeaving(world, pod, 'removed from endpoints');
      const removed = Object.entries(pod.labels).filter(([key]) => removeLabels.includes(key));
      // The annotation of an earlier run that could not clean up is taken over, with the labels that it removed.
      pod.endpointsRemoved = {
        by: run,
        originalLabels: { ...pod.endpointsRemoved?.originalLabels, ...Object.fromEntries(removed) },
      };
      pod.labels = Object.fromEntries(Object.entries(pod.labels).filter(([key]) => !removeLabels.includes(key)));
      protectFromPruners(pod);
      note(world, `pod ${pod.name} on ${pod.node} removed from endpoints`);
      return 'done';
    },
    tryRemoveEndpoints: async (ref) => deniedInTrial(world, podOf(ref), ['remove-endpoints']),
    restoreEndpoints: async (ref, run) => {
      const pod = podOf(ref);
      if (pod === undefined || pod.terminating) return 'gone';
      if (pod.endpointsRemoved?.by !== run) return 'not-ours';
      pod.labels = { ...pod.endpointsRemoved.originalLabels, ...pod.labels };
      delete (pod as { endpointsRemoved?: unknown }).endpointsRemoved;
      unprotectFromPruners(pod);
      return 'done';
    },
  };
}

/**
 * I2: while a load balancer sends to a node under policy Local, only the pods of that node can answer. A pod that was released, or is not ready and
 * so answers nobody, is no loss beside another one that does.
 */
export function judgeLeaving(world: World, pod: SimPod, how: string): void {
  for (const service of world.services) {
    if (service.type !== 'LoadBalancer' || service.externalTrafficPolicy !== 'Local') continue;
    if (!matches(service.selector, pod.labels)) continue;
    const node = world.nodes.find((one) => one.name === pod.node);
    const target = service.targets.find((one) => one.instanceId === node?.instanceId);
    const isBesideAnother =
      (pod.released !== undefined || !pod.ready) &&
      world.pods.some(
        (one) => one !== pod && one.node === pod.node && one.ready && matches(service.selector, one.labels),
      );
    if (target?.forwards === true && !isBesideAnother) {
      world.violations.push(`pod ${pod.name} ${how} while ${service.key} sent to ${pod.node ?? '?'}`);
    }
  }
}
