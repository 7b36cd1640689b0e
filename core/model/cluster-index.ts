import type { NodeFacts } from './node.ts';
import { type DisruptionBudgetFacts, isFinished, type PodFacts } from './pod.ts';
import type { ServiceFacts } from './service.ts';
import type { ClusterFacts } from './serving.ts';
import type { WorkloadFacts } from './workload.ts';

/** An index of one observation. Each decision needs only a few of many thousand pods. */
interface ClusterIndex {
  readonly nodes: ReadonlyMap<string, NodeFacts>;
  /** By instance ID. */
  readonly nodesByInstance: ReadonlyMap<string, NodeFacts>;
  readonly podsByUid: ReadonlyMap<string, PodFacts>;
  /** The pod that has an address of its own, and has not run to its end. Those in the network of their node are left out: they share its address. */
  readonly podsByIp: ReadonlyMap<string, PodFacts>;
  podsOn(node: string): readonly PodFacts[];
  service(key: string): ServiceFacts | undefined;
  workload(key: string): WorkloadFacts | undefined;
  servicesIn(namespace: string): readonly ServiceFacts[];
  workloadsIn(namespace: string): readonly WorkloadFacts[];
  podsIn(namespace: string): readonly PodFacts[];
  /** By the key of the workload that controls them. */
  podsOfWorkload(key: string): readonly PodFacts[];
  /** By the key of the workload that created them. Includes the pods that a run has released from it. */
  podsMadeBy(workload: string): readonly PodFacts[];
  /** By pod UID. Pods without a budget have no entry. */
  readonly budgetsByPod: ReadonlyMap<string, readonly DisruptionBudgetFacts[]>;
  budgetsOf(podUid: string): readonly DisruptionBudgetFacts[];
  /** Pods of the budget that exist. */
  podsOfBudget(budget: DisruptionBudgetFacts): readonly PodFacts[];
}

const indexes = new WeakMap<ClusterFacts, ClusterIndex>();

/** The index of an observation. It is created once, and each part is computed when it is first used. */
export function indexOf(cluster: ClusterFacts): ClusterIndex {
  const known = indexes.get(cluster);
  if (known !== undefined) return known;
  const made = makeIndex(cluster);
  indexes.set(cluster, made);
  return made;
}

function makeIndex({ nodes, pods, services, workloads, budgets }: ClusterFacts): ClusterIndex {
  return {
    get nodes() {
      return nodesByName(nodes);
    },
    get nodesByInstance() {
      return nodesByInstanceId(nodes);
    },
    get podsByUid() {
      return podsByUid(pods);
    },
    get podsByIp() {
      return podsByAddress(pods);
    },
    get budgetsByPod() {
      return budgetsByPod(budgets);
    },
    podsOn: (node) => podsByNode(pods).get(node) ?? [],
    service: (key) => servicesByKey(services).get(key),
    workload: (key) => workloadsByKey(workloads).get(key),
    servicesIn: (namespace) => servicesByNamespace(services).get(namespace) ?? [],
    workloadsIn: (namespace) => workloadsByNamespace(workloads).get(namespace) ?? [],
    podsIn: (namespace) => podsByNamespace(pods).get(namespace) ?? [],
    podsOfWorkload: (key) => podsByWorkload(pods).get(key) ?? [],
    podsMadeBy: (workload) => podsByMaker(pods).get(workload) ?? [],
    budgetsOf: (uid) => budgetsByPod(budgets).get(uid) ?? [],
    podsOfBudget: onceFor((budget) => {
      const existing = podsByUid(pods);
      return budget.podUids.map((uid) => existing.get(uid)).filter((pod) => pod !== undefined);
    }),
  };
}

// Each map is computed once per list. Observations share a list that has not changed, and so they share its maps too.
const nodesByName = onceFor((nodes: readonly NodeFacts[]) => new Map(nodes.map((node) => [node.name, node])));
const nodesByInstanceId = onceFor(
  (nodes: readonly NodeFacts[]) => new Map(nodes.map((node) => [node.instanceId, node])),
);
const podsByUid = onceFor((pods: readonly PodFacts[]) => new Map(pods.map((pod) => [pod.uid, pod])));
const podsByAddress = onceFor((pods: readonly PodFacts[]) => {
  const running = pods.filter((pod) => !pod.hostNetwork && !isFinished(pod));
  return new Map(running.flatMap((pod) => (pod.ips ?? []).map((ip) => [ip, pod] as const)));
});
const podsByNode = onceFor((pods: readonly PodFacts[]) => Map.groupBy(pods, (pod) => pod.node ?? ''));
const podsByNamespace = onceFor((pods: readonly PodFacts[]) => Map.groupBy(pods, (pod) => pod.namespace));
const podsByWorkload = onceFor((pods: readonly PodFacts[]) => Map.groupBy(pods, (pod) => pod.workload ?? ''));
const podsByMaker = onceFor((pods: readonly PodFacts[]) =>
  Map.groupBy(pods, (pod) => pod.released?.workload ?? pod.workload ?? ''),
);
const servicesByKey = onceFor((services: readonly ServiceFacts[]) => new Map(services.map((one) => [one.key, one])));
const servicesByNamespace = onceFor((services: readonly ServiceFacts[]) =>
  Map.groupBy(services, (service) => namespaceOf(service.key)),
);
const workloadsByKey = onceFor(
  (workloads: readonly WorkloadFacts[]) => new Map(workloads.map((one) => [one.key, one])),
);
const workloadsByNamespace = onceFor((workloads: readonly WorkloadFacts[]) =>
  Map.groupBy(workloads, (workload) => workload.namespace),
);
const budgetsByPod = onceFor((budgets: readonly DisruptionBudgetFacts[]) => {
  const byPod = new Map<string, readonly DisruptionBudgetFacts[]>();
  for (const budget of budgets) {
    const alone = [budget];
    for (const uid of budget.podUids) {
      const known = byPod.get(uid);
      byPod.set(uid, known === undefined ? alone : [...known, budget]);
    }
  }
  return byPod;
});

/** Memoizes a function of immutable objects. A result is kept for as long as its object is. */
export function onceFor<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const made = new WeakMap<K, V>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined || made.has(of)) return known as V;
    const value = make(of);
    made.set(of, value);
    return value;
  };
}

/** Namespace of a key such as `namespace/name`. */
export function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
