import type { DisruptionBudgetFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Floor } from '../plan/pool-plan.ts';
import type { Policy } from '../policy/policy.ts';
import { compareText } from '../text/format.ts';
import { countServing, lookAtService, nodesOut } from './serving.ts';

/**
 * Fixes the least that must keep serving of a Service. A floor in the policy rules; else, under policy Local, the Service's
 * PodDisruptionBudget; else the policy's default share. A default floor always lets one serving target go, because policy Local
 * gets new serving targets only by moving pods; a floor that somebody wrote is kept as written. Without target groups, because there
 * is no load balancer or because it is not supported, the budget alone counts.
 */
export function computeFloor(service: ServiceFacts, facts: ServingFacts, policy: Policy): Floor {
  const guarded = { service: service.key, externalTrafficPolicy: service.externalTrafficPolicy };
  const out = nodesOut(
    facts.cluster.nodes,
    extraNodes(service, facts, policy),
    (node) => node.pool === policy.pool.name,
  );
  const look = lookAtService(guarded, facts);
  const now = countServing(guarded, look, out);
  const budgets = budgetsOf(service, facts.cluster.budgets);
  const endpoints = budgets.reduce((sum, budget) => sum + budget.desiredHealthy, 0);
  const budgetNames = budgets.map((budget) => `pdb ${budget.name}`).join(' + ');
  const groups = facts.targetGroups.filter((group) => group.service === service.key);
  if (groups.length === 0) {
    const unseen = facts.unsupported.some((fact) => fact.service === service.key);
    const source = budgetNames || (unseen ? 'load balancer not supported' : 'no load balancer');
    return { targets: 0, perZone: {}, endpoints, source };
  }
  const perZone = Object.fromEntries(
    groups
      .filter((group) => !group.crossZone)
      .flatMap((group) => group.zones)
      .filter((zone) => (now.perZone[zone] ?? 0) > 0)
      .map((zone) => [zone, 1]),
  );
  const written = policy.guard.floors[service.key];
  if (written !== undefined) {
    const targets = 'targets' in written ? written.targets : Math.max(1, shareOf(written.share, now.targets));
    return { targets, perZone, endpoints, source: 'policy' };
  }
  // The guard keeps the budget's endpoints on serving nodes; how many nodes they share is the scheduler's affair and may change.
  if (budgets.length > 0 && service.externalTrafficPolicy === 'Local') {
    return { targets: 1, perZone, endpoints, source: budgetNames };
  }
  const targets = Math.max(1, Math.min(shareOf(policy.guard.defaultFloor, now.targets), now.targets - 1));
  const source = `${Math.round(policy.guard.defaultFloor * 100)} % of ${now.targets}`;
  return { targets, perZone, endpoints, source: budgets.length > 0 ? `${source}, ${budgetNames}` : source };
}

/** Under Cluster every node serves: replacements that are there already come on top of what shall serve in the end. */
function extraNodes(service: ServiceFacts, { cluster }: ServingFacts, policy: Policy): readonly string[] {
  if (service.externalTrafficPolicy === 'Local') return [];
  return cluster.nodes.filter((node) => node.pool === policy.target.poolName).map((node) => node.name);
}

/** Budgets that cover at least one endpoint of the Service, by name. */
export function budgetsOf(
  service: ServiceFacts,
  budgets: readonly DisruptionBudgetFacts[],
): readonly DisruptionBudgetFacts[] {
  const pods = new Set(service.endpoints.map((endpoint) => endpoint.podUid));
  return budgets
    .filter((budget) => budget.podUids.some((uid) => pods.has(uid)))
    .toSorted((a, b) => compareText(a.name, b.name));
}

/** A share of a whole, rounded up; forgives the rounding of binary fractions. */
function shareOf(share: number, whole: number): number {
  return Math.ceil(share * whole - 1e-9);
}
