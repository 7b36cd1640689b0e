import type {
  V1DaemonSet,
  V1Deployment,
  V1EndpointSlice,
  V1Node,
  V1Pod,
  V1PodDisruptionBudget,
  V1ReplicaSet,
  V1Service,
  V1StatefulSet,
  V1VolumeAttachment,
} from '@kubernetes/client-node';

import type { ClusterFacts } from '../../core/model/serving.ts';
import type { ProviderNodeLabels } from '../../ports/node-labels.ts';
import type { PodGroupsReader } from '../../ports/pod-groups.ts';
import { catchUp, type FreshnessTiming } from './catch-up.ts';
import { nodeInOurTime, podInOurTime } from './clock-skew.ts';
import type { Connection } from './connection.ts';
import { clusterFacts } from './map.ts';
import { budgetFacts } from './map-budget.ts';
import { withIngresses } from './map-ingress.ts';
import { attachmentFacts, nodeFacts } from './map-node.ts';
import { podFacts } from './map-pod.ts';
import { withBoundGroups, withNodeBindings } from './map-pod-groups.ts';
import { serviceFacts, sliceFacts } from './map-service.ts';
import { daemonSetFacts, deploymentFacts, replicaSetFacts, statefulSetFacts } from './map-workload.ts';
import { createReflector, type Reflector, type WatchedObject } from './reflector.ts';
import { createSurroundings, type Surroundings } from './surroundings.ts';

/** All caches together. */
export interface Caches {
  /**
   * The cluster as it was when this was called, or later. Callers that wait at the same time share the work. @throws NodeferryError
   * ClusterUnreachable, Forbidden
   */
  observe(): Promise<ClusterFacts>;
  /** The next observation must show this object at least as new as the response to our write. */
  expectWrite(resource: 'nodes' | 'pods', object: WatchedObject): void;
  /** The next observation must not show this object any more, unless it is being deleted. */
  expectDeletion(
    resource: 'nodes' | 'pods',
    ref: { readonly namespace?: string; readonly name: string; readonly uid: string },
  ): void;
  close(): void;
}

/** The words of clouds on objects of Kubernetes. */
export interface CloudWords {
  /** The labels by which the nodes of each provider are recognized. Of several on one node the first counts. */
  readonly nodeLabels: readonly ProviderNodeLabels[];
  readonly readPodGroups: PodGroupsReader;
}

/** Creates the caches; they start with the first observation. */
export function createCaches(
  connection: Connection,
  timing: FreshnessTiming,
  { nodeLabels, readPodGroups }: CloudWords,
): Caches {
  const caches = {
    nodes: createReflector(connection, 'nodes', (node: V1Node) =>
      nodeInOurTime(nodeFacts(node, nodeLabels), connection.clockAheadMs()),
    ),
    pods: createReflector(connection, 'pods', (pod: V1Pod) => podInOurTime(podFacts(pod), connection.clockAheadMs())),
    services: createReflector(connection, 'services', (service: V1Service) => serviceFacts(service, readPodGroups)),
    endpointSlices: createReflector(connection, 'endpointSlices', (slice: V1EndpointSlice) => sliceFacts(slice)),
    podDisruptionBudgets: createReflector(connection, 'podDisruptionBudgets', (budget: V1PodDisruptionBudget) =>
      budgetFacts(budget),
    ),
    volumeAttachments: createReflector(connection, 'volumeAttachments', (attachment: V1VolumeAttachment) =>
      attachmentFacts(attachment),
    ),
    replicaSets: createReflector(connection, 'replicaSets', (replicaSet: V1ReplicaSet) => replicaSetFacts(replicaSet)),
    deployments: createReflector(connection, 'deployments', (deployment: V1Deployment) => deploymentFacts(deployment)),
    statefulSets: createReflector(connection, 'statefulSets', (set: V1StatefulSet) => statefulSetFacts(set)),
    daemonSets: createReflector(connection, 'daemonSets', (set: V1DaemonSet) => daemonSetFacts(set)),
  };
  const all: readonly Reflector<unknown>[] = Object.values(caches);
  const surroundings = createSurroundings(connection, timing.surroundingsKeptForMs);
  let last: { readonly version: number; readonly facts: ClusterFacts; readonly surroundings: Surroundings } | undefined;

  async function observation(): Promise<ClusterFacts> {
    const around = surroundings.read();
    const results = await Promise.allSettled([...all.map((cache) => catchUp(connection, cache, timing)), around]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    const now = await around;
    const version = all.reduce((sum, cache) => sum + cache.version(), 0);
    const outageAt = connection.outageAt();
    if (last?.version !== version || last.facts.outageAt !== outageAt || last.surroundings !== now) {
      const { boundGroups, nodeBindings, ingressBackends, ...others } = now;
      const joined = join();
      const bound = withNodeBindings(withBoundGroups(joined.services, boundGroups), nodeBindings);
      const services = withIngresses(bound, joined.nodes, ingressBackends);
      const facts = { ...joined, services, ...others, ...(outageAt === undefined ? {} : { outageAt }) };
      last = { version, facts, surroundings: now };
    }
    return last.facts;
  }

  function join(): ClusterFacts {
    return clusterFacts({
      nodes: caches.nodes.values(),
      pods: caches.pods.values(),
      services: caches.services.values(),
      endpointSlices: caches.endpointSlices.values(),
      podDisruptionBudgets: caches.podDisruptionBudgets.values(),
      volumeAttachments: caches.volumeAttachments.values(),
      replicaSets: caches.replicaSets.values(),
      deployments: caches.deployments.values(),
      statefulSets: caches.statefulSets.values(),
      daemonSets: caches.daemonSets.values(),
    });
  }

  return {
    observe: shareNextCall(observation),
    expectWrite: (resource, object) => caches[resource].expectWrite(object),
    expectDeletion: (resource, ref) => caches[resource].expectDeletion(ref),
    close: () => {
      for (const cache of all) cache.stop();
    },
  };
}

/** Runs one call at a time. All callers that ask during a run share the next one, which starts after they asked. */
export function shareNextCall<T>(call: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= current.then(() => {
      const started = call();
      current = started.catch(() => undefined);
      next = undefined;
      return started;
    });
    return next;
  };
}
