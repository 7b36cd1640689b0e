import type { NodeFacts } from '../../core/model/node.ts';
import type { PodFacts, ReleasedFacts } from '../../core/model/pod.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { ClusterFacts } from '../../core/model/serving.ts';
import type { VolumeAttachmentFacts } from '../../core/model/volume.ts';
import type { WorkloadFacts } from '../../core/model/workload.ts';
import { type MappedBudget, withPods } from './map-budget.ts';
import { type MappedService, type MappedSlice, mergeEndpoints } from './map-service.ts';
import { type MappedReplicaSet, workloadKey } from './map-workload.ts';

/** What the caches hold, object by object. */
export interface MappedObjects {
  readonly nodes: readonly NodeFacts[];
  readonly pods: readonly PodFacts[];
  readonly services: readonly MappedService[];
  readonly endpointSlices: readonly MappedSlice[];
  readonly podDisruptionBudgets: readonly MappedBudget[];
  readonly volumeAttachments: readonly VolumeAttachmentFacts[];
  readonly replicaSets: readonly MappedReplicaSet[];
  readonly deployments: readonly WorkloadFacts[];
  readonly statefulSets: readonly WorkloadFacts[];
  readonly daemonSets: readonly WorkloadFacts[];
}

/** Combines the objects into one observation of the cluster, in a stable order. */
export function clusterFacts(objects: MappedObjects): ClusterFacts {
  const pods = withOwners(objects);
  const podsByNamespace = Map.groupBy(pods, ({ namespace }) => namespace);
  return {
    nodes: sortedBy(objects.nodes, ({ name }) => name),
    pods,
    budgets: sortedBy(objects.podDisruptionBudgets, ({ facts }) => podKey(facts)).map((budget) =>
      withPods(budget, podsByNamespace.get(budget.facts.namespace) ?? []),
    ),
    services: withEndpoints(objects.services, objects.endpointSlices),
    workloads: listWorkloads(objects),
    volumeAttachments: sortedBy(objects.volumeAttachments, ({ name }) => name),
  };
}

function withOwners({ pods, replicaSets, daemonSets }: MappedObjects): PodFacts[] {
  const existing = new Set(daemonSets.map(({ key }) => key));
  const byUid = new Map(replicaSets.map((replicaSet) => [replicaSet.uid, replicaSet]));
  return sortedBy(pods, podKey).map((facts) => {
    const replicaSet = facts.ownerKind === 'ReplicaSet' ? byUid.get(facts.ownerUid ?? '') : undefined;
    const workload = replicaSet === undefined ? ownWorkload(facts) : (replicaSet.deployment ?? replicaSet.facts.key);
    return {
      ...facts,
      ...(replicaSet === undefined
        ? {}
        : { ownerSelector: replicaSet.selector, ownerWants: replicaSet.facts.replicas }),
      ...(workload === undefined ? {} : { workload }),
      ...(facts.released === undefined ? {} : { released: withWants(facts.released, byUid) }),
      // By name, as kubectl drain does (pkg/drain/filters.go, daemonSetFilter).
      ...(facts.ownerKind === 'DaemonSet' && !existing.has(workload ?? '') ? { orphaned: true } : {}),
    };
  });
}

function withWants(released: ReleasedFacts, byUid: ReadonlyMap<string, MappedReplicaSet>): ReleasedFacts {
  const replicaSet = byUid.get(released.replicaSet.uid);
  if (replicaSet === undefined) return released;
  const { available, refused, facts } = replicaSet;
  return { ...released, wants: facts.replicas, available, ...(refused === undefined ? {} : { refused }) };
}

/** The workload of a pod whose controller owns it without a ReplicaSet in between. */
function ownWorkload({ ownerKind, namespace, ownerName }: PodFacts): string | undefined {
  const isKnown = ownerKind === 'StatefulSet' || ownerKind === 'DaemonSet';
  return isKnown ? workloadKey(ownerKind, namespace, ownerName) : undefined;
}

function listWorkloads({ deployments, statefulSets, daemonSets, replicaSets }: MappedObjects): WorkloadFacts[] {
  const alone = replicaSets.filter(({ deployment }) => deployment === undefined).map(explainRefusal);
  const refusals = new Map(
    replicaSets.flatMap(({ deployment, refused }) =>
      deployment === undefined ? [] : refused === undefined ? [] : [[deployment, refused]],
    ),
  );
  const deployed = deployments.map((facts) => explainRefusal({ facts, refused: refusals.get(facts.key) }));
  return sortedBy([...deployed, ...statefulSets, ...daemonSets, ...alone], ({ key }) => key);
}

function explainRefusal({ facts, refused }: Pick<MappedReplicaSet, 'facts' | 'refused'>): WorkloadFacts {
  return refused === undefined ? facts : { ...facts, refused };
}

function withEndpoints(services: readonly MappedService[], slices: readonly MappedSlice[]): ServiceFacts[] {
  const slicesByService = Map.groupBy(slices, ({ service }) => service);
  return sortedBy(services, ({ key }) => key).map((service) => ({
    ...service,
    endpoints: mergeEndpoints(slicesByService.get(service.key) ?? []),
  }));
}

function podKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Sorted by code units, so that the order is the same everywhere; each key is computed once. */
function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return items
    .map((item) => ({ key: key(item), item }))
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ item }) => item);
}
