import type { BudgetDemand } from '../model/budget-demand.ts';
import { indexOf, namespaceOf, onceFor } from '../model/cluster-index.ts';
import { isReadyEndpoint } from '../model/endpoints.ts';
import { indexBySelector } from '../model/label-index.ts';
import type { DisruptionBudgetFacts, PodFacts } from '../model/pod.ts';
import { reachOf } from '../model/reach.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';
import { expectedEndpoints, reachableEndpoints, type ServiceBaseline } from './baseline.ts';
import { computeMinServing, type MinServing } from './min-serving.ts';
import { workloadsOf } from './scale.ts';
import { balancedServices, type ServiceState, serviceStates, stateOf } from './serving.ts';
import { findUnreached, isUnreached, type PodsByPlace } from './unreached.ts';
import { findUnsafeStates, type UnsafeState } from './unsafe-states.ts';

/** How much of a Service serves, not counting the nodes that are out. */
export interface CountedService {
  readonly state: ServiceState;
  readonly minServing: MinServing;
  /** Serving targets over all zones, and by zone. */
  readonly targets: number;
  readonly perZone: ReadonlyMap<string, number>;
  /** What the Service has and what its baseline has, which may be less. Undefined where there is nothing to compare. */
  readonly comparison: Comparison | undefined;
  /** Where its load balancers have sent nothing since the run began. Nodes there are not blocked for the Service. */
  readonly unreached: PodsByPlace | undefined;
  /** Targets that must not be deregistered at this moment, by node name. */
  readonly unsafe: ReadonlyMap<string, UnsafeState>;
  /** Workload that replaces its pods right now, by name of the nodes that host one of them. */
  readonly rollingOn: ReadonlyMap<string, string>;
}

/** What a Service has, and what it had at its baseline. */
interface Comparison {
  readonly what: 'ready endpoint' | 'serving target';
  readonly has: number;
  readonly needs: number;
}

/** The pods of a budget that callers reach. Each pod counts once, however many Services select it. */
export interface CountedBudget {
  /** `namespace/name`. */
  readonly name: string;
  readonly needs: number;
  /** What its spec demands. */
  readonly demand: BudgetDemand | undefined;
  readonly has: number;
  /** The most that it can have as its workloads are scaled now; with pod surge, as long as the additional pods are there. */
  readonly most: number;
  /** Counted pods by node, only those that are lost when their node is excluded: behind a load balancer with policy Local. */
  readonly takenWith: ReadonlyMap<string, number>;
  /** Ready pods of that kind by node, reached or not. */
  readonly readyOn: ReadonlyMap<string, number>;
  /** Nodes that host such a pod, Ready or not. */
  readonly hosts: ReadonlySet<string>;
  /** Keys of the Services behind whose load balancers such pods are. */
  readonly services: ReadonlySet<string>;
}

/** Counts one Service. */
export function countService(
  state: ServiceState,
  facts: ServingFacts,
  policy: Policy,
  baseline: ServiceBaseline | undefined,
  out: ReadonlySet<string>,
): CountedService {
  const { targets, perZone } = countTargets(state, out);
  return {
    state,
    minServing: computeMinServing(state, facts, policy, baseline),
    targets,
    perZone,
    comparison: baseline === undefined ? undefined : compareToBaseline(state, facts, baseline, targets),
    unreached: baseline?.unreached,
    unsafe: findUnsafeStates(state, facts),
    rollingOn: findRollouts(state.service, facts.cluster),
  };
}

/** Serving targets of nodes that are not out, over all zones and by zone. */
export function countTargets(
  state: ServiceState,
  out: ReadonlySet<string>,
): Pick<CountedService, 'targets' | 'perZone'> {
  const perZone = new Map<string, number>();
  let targets = 0;
  for (const { name, zone, targets: own } of state.serving.values()) {
    if (out.has(name)) continue;
    targets += own;
    perZone.set(zone, (perZone.get(zone) ?? 0) + own);
  }
  return { targets, perZone };
}

/** Pods that a run has released count too: they stay stable while the others come and go. */
function findRollouts(service: ServiceFacts, cluster: ClusterFacts): ReadonlyMap<string, string> {
  const rolling = new Set(workloadsOf(service, cluster).flatMap(({ key, rollingOut }) => (rollingOut ? [key] : [])));
  if (rolling.size === 0) return new Map();
  const index = indexOf(cluster);
  return new Map(
    [...rolling].flatMap((workload) =>
      index.podsMadeBy(workload).flatMap(({ node }) => (node === undefined ? [] : [[node, workload] as const])),
    ),
  );
}

/** Under policy Local, and where pods are targets, what its pods do not serve is lacking. Under policy Cluster, the nodes that are registered and do not serve. */
function compareToBaseline(
  state: ServiceState,
  facts: ServingFacts,
  baseline: ServiceBaseline,
  targets: number,
): Comparison | undefined {
  if (state.reach !== 'node') {
    const needs = expectedEndpoints(state, facts, baseline);
    const has = reachableEndpoints(state, facts, baseline);
    return { what: 'ready endpoint', has, needs };
  }
  if (expectedEndpoints(state, facts, baseline) === 0 && state.readyOn.size === 0) return undefined;
  const needs = Math.min(baseline.targets, state.attached.size);
  return { what: 'serving target', has: targets, needs };
}

/** Counts every budget that has pods behind a load balancer with policy Local, or only the budgets that are named. */
export function countBudgets(
  facts: ServingFacts,
  out: ReadonlySet<string>,
  baselines: readonly ServiceBaseline[],
  budgets: readonly DisruptionBudgetFacts[] = facts.cluster.budgets,
): readonly CountedBudget[] {
  return budgets
    .map((budget) => countBudget(budget, facts, out, openExemption(facts, baselines)))
    .filter((counted) => counted.hosts.size > 0)
    .toSorted((a, b) => compareText(a.name, b.name));
}

function countBudget(
  budget: DisruptionBudgetFacts,
  facts: ServingFacts,
  out: ReadonlySet<string>,
  isExempt: (pod: PodFacts, node: string, state: ServiceState) => boolean,
): CountedBudget {
  const takenWith = new Map<string, number>();
  const readyOn = new Map<string, number>();
  const hosts = new Set<string>();
  const services = new Set<string>();
  let has = 0;
  const findStates = localStatesOf(facts);
  for (const pod of indexOf(facts.cluster).podsOfBudget(budget)) {
    if (pod.node === undefined || pod.terminating || pod.endpointsRemoved !== undefined) continue;
    const { node } = pod;
    const states = findStates(pod).filter((state) => !isExempt(pod, node, state));
    const isReady = pod.ready && states.every((state) => isReadyEndpoint(pod, state.service));
    const isReached = isReady && states.every((state) => state.serving.has(node) && !out.has(node));
    if (isReached) has += 1;
    if (states.length === 0) continue;
    hosts.add(node);
    for (const { service } of states) services.add(service.key);
    if (isReady) readyOn.set(node, (readyOn.get(node) ?? 0) + 1);
    if (isReached) takenWith.set(node, (takenWith.get(node) ?? 0) + 1);
  }
  const name = `${budget.namespace}/${budget.name}`;
  const most = Math.max(budget.expectedPods, budget.podUids.length);
  return { name, needs: budget.desiredHealthy, demand: budget.demand, has, most, takenWith, readyOn, hosts, services };
}

/**
 * Whether a pod counts without being reached by a load balancer. It does when it is where the load balancer sends nothing by its own
 * configuration, and there are no more such pods than when the run began. The budget was met with them then, so it is met now.
 */
function openExemption(facts: ServingFacts, baselines: readonly ServiceBaseline[]) {
  const exemptions = new Map<string, { room: number; readonly places: PodsByPlace }>(
    baselines.flatMap(({ service, unreached }) => {
      const state = unreached && serviceStates(facts).get(service);
      if (unreached === undefined || state === undefined) return [];
      const room = Object.values(unreached).reduce((sum, pods) => sum + pods, 0);
      return [[service, { room, places: { ...unreached, ...findUnreached(state, facts) } }]] as const;
    }),
  );
  return (pod: PodFacts, node: string, { service }: ServiceState): boolean => {
    const exemption = exemptions.get(service.key);
    if (exemption === undefined || !isUnreached(node, facts, exemption.places)) return false;
    if (!pod.ready) return true;
    exemption.room -= 1;
    return exemption.room >= 0;
  };
}

/** Observes the Services of a pod that a load balancer reaches on its own node only. */
export function localStates(pod: PodFacts, facts: ServingFacts): readonly ServiceState[] {
  return localStatesOf(facts)(pod);
}

/** Finds them by the pod's labels among those of its namespace. */
const localStatesOf = onceFor((facts: ServingFacts) => {
  const local = [...balancedServices(facts).values()].filter(
    ({ service, groups }) => reachOf(service, groups) === 'host',
  );
  const byNamespace = new Map(
    [...Map.groupBy(local, ({ service }) => namespaceOf(service.key))].map(([namespace, services]) => {
      const states = services.map(({ service }) => stateOf(service, facts));
      return [
        namespace,
        indexBySelector(states.map((state) => ({ selector: state.service.selector, state }))),
      ] as const;
    }),
  );
  return ({ namespace, labels }: PodFacts): readonly ServiceState[] => {
    const found = byNamespace.get(namespace)?.(labels) ?? [];
    return found.map(({ state }) => state).toSorted((a, b) => compareText(a.service.key, b.service.key));
  };
});
