import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../waits/formulas.ts';
import type { ServiceBaseline } from './baseline.ts';
import type { CountedService } from './counts.ts';
import { type Guard, openGuard } from './guard.ts';

/** A node on its way out, nothing of which has been evicted yet. */
export interface GrantQuestion {
  readonly node: NodeRef;
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
}

/**
 * Why a node that was let go should come back: a Service or budget is below its floor without it, because others failed since, and
 * the node could still serve it. Nodes that are on their way back in count as if they served. Undefined while the grant holds.
 */
export function findLostGrant({ node, facts, policy, baselines }: GrantQuestion): string | undefined {
  if (!isEnabled(policy, 'capacity-guard')) return undefined;
  const guard = openGuard({ facts, policy, baselines, inFlight: [], waiting: [node] });
  return findBelowFloor(node, facts, guard) ?? findBelowBudget(node, facts, guard);
}

function findBelowFloor(node: NodeRef, facts: ServingFacts, { services }: Guard): string | undefined {
  for (const service of services) {
    if (!couldServe(node, service, facts)) continue;
    const { floor, targets, perZone, look } = service;
    const coming = comingBack(service, facts);
    if (targets + coming.length < floor.targets)
      return `${look.service.key} has ${targets} serving targets without it and must keep ${floor.targets} (${floor.source})`;
    const needs = floor.perZone[node.zone] ?? 0;
    const has = perZone.get(node.zone) ?? 0;
    if (has + coming.filter(({ zone }) => zone === node.zone).length < needs)
      return `${look.service.key} has ${has} serving targets in ${node.zone} without it and must keep ${needs}`;
  }
  return undefined;
}

function findBelowBudget(node: NodeRef, facts: ServingFacts, { budgets, services }: Guard): string | undefined {
  const local = services.filter(({ look }) => look.service.externalTrafficPolicy === 'Local');
  const coming = new Set(local.flatMap((service) => comingBack(service, facts)).map(({ name }) => name));
  for (const { name, has, needs, readyOn } of budgets) {
    if ((readyOn.get(node.name) ?? 0) === 0) continue;
    const soon = [...coming].reduce((sum, other) => sum + (readyOn.get(other) ?? 0), 0);
    if (has + soon < needs) return `budget ${name} has ${has} reachable pods without it and must keep ${needs}`;
  }
  return undefined;
}

/** The node would serve the Service if it were back in: it hosts a ready endpoint, or any node will do. */
function couldServe(node: NodeRef, { look }: CountedService, facts: ServingFacts): boolean {
  if (look.service.externalTrafficPolicy === 'Local') return (look.readyOn.get(node.name) ?? 0) > 0;
  return indexOf(facts.cluster).nodes.get(node.name)?.ready === true;
}

/** Nodes that will serve without anybody's doing: Ready, not excluded, and their target has yet to turn healthy. */
function comingBack({ look }: CountedService, facts: ServingFacts) {
  const local = look.service.externalTrafficPolicy === 'Local';
  return facts.cluster.nodes.filter(
    (node) =>
      node.ready &&
      !node.excluded &&
      !look.serving.has(node.name) &&
      (local ? (look.readyOn.get(node.name) ?? 0) > 0 : look.attached.has(node.name)),
  );
}
