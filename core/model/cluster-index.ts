import type { NodeFacts } from './node.ts';
import type { DisruptionBudgetFacts, PodFacts } from './pod.ts';
import type { ServiceFacts } from './service.ts';
import type { ClusterFacts } from './serving.ts';
import type { WorkloadFacts } from './workload.ts';

/** The facts of one look, found by name: every decision asks for a few of many thousand pods. */
export interface ClusterIndex {
  readonly nodes: ReadonlyMap<string, NodeFacts>;
  /** By the ID of its machine. */
  readonly nodesByInstance: ReadonlyMap<string, NodeFacts>;
  readonly podsByUid: ReadonlyMap<string, PodFacts>;
  podsOn(node: string): readonly PodFacts[];
  service(key: string): ServiceFacts | undefined;
  servicesIn(namespace: string): readonly ServiceFacts[];
  workloadsIn(namespace: string): readonly WorkloadFacts[];
  podsIn(namespace: string): readonly PodFacts[];
  budgetsOf(podUid: string): readonly DisruptionBudgetFacts[];
}

const indexes = new WeakMap<ClusterFacts, ClusterIndex>();

/** The index of a look; made once, however many decisions ask. */
export function indexOf(cluster: ClusterFacts): ClusterIndex {
  const known = indexes.get(cluster);
  if (known !== undefined) return known;
  const made = makeIndex(cluster);
  indexes.set(cluster, made);
  return made;
}

function makeIndex(cluster: ClusterFacts): ClusterIndex {
  const podsByNode = Map.groupBy(cluster.pods, (pod) => pod.node ?? '');
  const podsByNamespace = Map.groupBy(cluster.pods, (pod) => pod.namespace);
  const services = new Map(cluster.services.map((service) => [service.key, service]));
  const servicesByNamespace = Map.groupBy(cluster.services, (service) => namespaceOf(service.key));
  const workloads = Map.groupBy(cluster.workloads, (workload) => workload.namespace);
  const budgets = groupBudgets(cluster.budgets);
  return {
    nodes: new Map(cluster.nodes.map((node) => [node.name, node])),
    nodesByInstance: new Map(cluster.nodes.map((node) => [node.instanceId, node])),
    podsByUid: new Map(cluster.pods.map((pod) => [pod.uid, pod])),
    podsOn: (node) => podsByNode.get(node) ?? [],
    service: (key) => services.get(key),
    servicesIn: (namespace) => servicesByNamespace.get(namespace) ?? [],
    workloadsIn: (namespace) => workloads.get(namespace) ?? [],
    podsIn: (namespace) => podsByNamespace.get(namespace) ?? [],
    budgetsOf: (uid) => budgets.get(uid) ?? [],
  };
}

function groupBudgets(budgets: readonly DisruptionBudgetFacts[]): ReadonlyMap<string, DisruptionBudgetFacts[]> {
  const byPod = new Map<string, DisruptionBudgetFacts[]>();
  for (const budget of budgets) {
    for (const uid of budget.podUids) {
      const known = byPod.get(uid);
      if (known === undefined) byPod.set(uid, [budget]);
      else known.push(budget);
    }
  }
  return byPod;
}

/** Namespace of a key such as `namespace/name`. */
export function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
