import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeFacts } from '../model/node.ts';
import type { DisruptionBudgetFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import { membersOf } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText, count } from '../text/format.ts';
import { expectedEndpoints, type ServiceBaseline } from './baseline.ts';
import type { ServiceState } from './serving.ts';

/** The least that must keep serving of a Service, computed again from each observation. */
export interface MinServing {
  /** Serving targets over all zones. */
  readonly targets: number;
  /** Serving targets per zone; only for load balancers with cross-zone off. */
  readonly perZone: Readonly<Record<string, number>>;
  /** Ready endpoints that PodDisruptionBudgets require of this Service alone. The guard checks the budgets themselves. */
  readonly endpoints: number;
  /** Where the figure comes from, e.g. `pdb web`, `policy`, `75 % of 4`. */
  readonly source: string;
}

/** The figures of a minimum: `3 targets, eu-west-1a 1, 2 endpoints`. */
export function describeMinServing({ targets, perZone, endpoints }: MinServing): string {
  const zones = Object.entries(perZone).map(([zone, least]) => `${zone} ${least}`);
  return [count(targets, 'target'), ...zones, ...(endpoints > 0 ? [count(endpoints, 'endpoint')] : [])].join(', ');
}

/**
 * The minimum serving of a Service now. The policy's own figure for the Service comes first; otherwise, under policy Local and where pods are targets, the
 * Service's budgets; otherwise the policy's default share. The share is of the baseline, reduced to what the present scale and placement of the Service
 * allow: a Deployment that was scaled down, or whose pods share nodes, cannot have as many targets as before. A default minimum always lets one
 * serving target be excluded, or the pods of one node, because new serving targets come only by moving pods. A minimum that somebody wrote is kept as
 * written. Without target groups only the budgets count.
 */
export function computeMinServing(
  state: ServiceState,
  facts: ServingFacts,
  policy: Policy,
  baseline: ServiceBaseline | undefined,
): MinServing {
  const { service, groups } = state;
  const own = ownPods(facts.cluster)(service);
  const budgets = byName(own.keys());
  const endpoints = budgets.reduce((sum, budget) => sum + demandOf(budget, own.get(budget) ?? 0), 0);
  const budgetNames = budgets.map((budget) => `pdb ${budget.name}`).join(' + ');
  if (groups.length === 0) {
    const unseen = facts.unsupported.some((fact) => fact.service === service.key);
    const source = budgetNames || (unseen ? 'load balancer not supported' : 'no load balancer');
    return { targets: 0, perZone: {}, endpoints, source };
  }
  const whole = baseline === undefined ? 0 : maxTargets(state, facts, policy, baseline);
  const perZone = baseline === undefined || whole === 0 ? {} : zoneMinServing(state, facts, policy, baseline);
  const written = policy.guard.minServing[service.key];
  if (written !== undefined) {
    const targets = 'targets' in written ? written.targets : Math.max(1, shareOf(written.share, whole));
    return { targets: whole === 0 ? 0 : targets, perZone, endpoints, source: 'policy' };
  }
  // The budgets keep endpoints on serving nodes. How many nodes they share is up to the scheduler and may change.
  if (budgets.length > 0 && state.reach !== 'node') {
    return { targets: Math.min(1, whole), perZone, endpoints, source: budgetNames };
  }
  const most = Math.max(1, ...[...state.serving.values()].map(({ targets }) => targets));
  const share = Math.max(1, Math.min(shareOf(policy.guard.defaultMinServing, whole), whole - most));
  const source = `${Math.round(policy.guard.defaultMinServing * 100)} % of ${whole}`;
  return {
    targets: Math.min(share, whole),
    perZone,
    endpoints,
    source: budgets.length > 0 ? `${source}, ${budgetNames}` : source,
  };
}

/**
 * The maximum number of targets that the Service could have now. Under policy Local that is the number of nodes that host its pods, including
 * missing ones, and no more than it is scaled to. Pods beyond that, of a rollout or of pod surge, are there so that others can leave.
 */
function maxTargets(state: ServiceState, facts: ServingFacts, policy: Policy, baseline: ServiceBaseline): number {
  const { service, attached, hosts, reach } = state;
  if (expectedEndpoints(state, facts, baseline) === 0 && state.readyOn.size === 0) return 0;
  if (reach === 'node') {
    const out = facts.cluster.nodes.filter(
      (node) => isOutForNow(node, facts, policy) && !attached.has(node.name),
    ).length;
    return Math.min(baseline.targets, attached.size + out);
  }
  const there = service.endpoints.filter((endpoint) => !endpoint.terminating).length;
  const expected = expectedEndpoints(state, facts, baseline);
  const missing = Math.max(0, expected - there);
  if (reach === 'pod') return Math.min(baseline.targets, expected);
  return Math.min(baseline.targets, hosts.size + missing, expected);
}

/** Excluded, and not drained for good: new nodes take the place of those that an upgrade excludes, and nothing takes that of drained ones. */
function isOutForNow({ excluded, uid }: NodeFacts, { cluster }: ServingFacts, policy: Policy): boolean {
  return excluded && (policy.selection === undefined || !membersOf(cluster, policy).old.has(uid));
}

/**
 * A zone that served keeps a target as long as it has something that could be one, pods (policy Local) or nodes, and cross-zone balancing is
 * still off: somebody may have turned it on since.
 */
function zoneMinServing(
  state: ServiceState,
  facts: ServingFacts,
  policy: Policy,
  baseline: ServiceBaseline,
): Readonly<Record<string, number>> {
  const alone = new Set(state.groups.filter((group) => !group.crossZone).flatMap((group) => group.zones));
  const served = baseline.zones.filter((zone) => alone.has(zone));
  if (served.length === 0) return {};
  const local = state.reach !== 'node';
  const places = facts.cluster.nodes.filter(
    (node) =>
      state.hosts.has(node.name) || (!local && (state.attached.has(node.name) || isOutForNow(node, facts, policy))),
  );
  const zones = new Set(places.map((node) => node.zone));
  return Object.fromEntries(served.filter((zone) => zones.has(zone)).map((zone) => [zone, 1]));
}

/** Budgets that cover at least one endpoint of the Service, by name. */
export function budgetsOf(service: ServiceFacts, cluster: ClusterFacts): readonly DisruptionBudgetFacts[] {
  return byName(ownPods(cluster)(service).keys());
}

function byName(budgets: Iterable<DisruptionBudgetFacts>): readonly DisruptionBudgetFacts[] {
  return [...budgets].toSorted((a, b) => compareText(a.name, b.name));
}

/** How many pods of each budget are endpoints of a Service. */
const ownPods = onceFor((cluster: ClusterFacts) => {
  const { budgetsByPod } = indexOf(cluster);
  return onceFor(({ endpoints }: ServiceFacts) => {
    const own = new Map<DisruptionBudgetFacts, number>();
    for (const uid of new Set(endpoints.map(({ podUid }) => podUid))) {
      if (uid === undefined) continue;
      for (const budget of budgetsByPod.get(uid) ?? []) own.set(budget, (own.get(budget) ?? 0) + 1);
    }
    return own;
  });
});

/** What a budget requires of a Service: what is left of its requirement when all its pods behind other Services are healthy. */
function demandOf({ podUids, desiredHealthy }: DisruptionBudgetFacts, own: number): number {
  return Math.max(0, desiredHealthy - (podUids.length - own));
}

/** A share of a whole, rounded up. Errors of binary fractions do not count. */
function shareOf(share: number, whole: number): number {
  return Math.ceil(share * whole - 1e-9);
}
