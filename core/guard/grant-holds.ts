import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../waits/formulas.ts';
import type { ServiceBaseline } from './baseline.ts';
import { countBudgets, countTargets } from './counts.ts';
import { computeFloor } from './floors.ts';
import { outOf } from './guard.ts';
import { balancedLooks, balancedServices, lookAtService, type ServiceLook } from './serving.ts';
import { isUnreached } from './unreached.ts';

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
export function findLostGrant(question: GrantQuestion): string | undefined {
  if (!isEnabled(question.policy, 'capacity-guard')) return undefined;
  const { node, facts } = question;
  const out = outOf({ facts, inFlight: [], waiting: [node] });
  return findBelowFloor(question, out) ?? findBelowBudget(question, out);
}

function findBelowFloor(
  { node, facts, policy, baselines }: GrantQuestion,
  out: ReadonlySet<string>,
): string | undefined {
  for (const { service } of balancedServices(facts).values()) {
    if (!couldServe(node, service, facts)) continue;
    const look = lookAtService(service, facts);
    const baseline = baselines.find((known) => known.service === service.key);
    if (isUnreached(node.name, facts, baseline?.unreached)) continue;
    const { targets, perZone } = countTargets(look, out);
    const floor = computeFloor(look, facts, policy, baseline);
    const needs = floor.perZone[node.zone] ?? 0;
    const has = perZone.get(node.zone) ?? 0;
    if (targets >= floor.targets && has >= needs) continue;
    const coming = comingBack(look, facts);
    if (targets + coming.length < floor.targets)
      return `${service.key} has ${targets} serving targets without it and must keep ${floor.targets} (${floor.source})`;
    if (has + coming.filter(({ zone }) => zone === node.zone).length < needs)
      return `${service.key} has ${has} serving targets in ${node.zone} without it and must keep ${needs}`;
  }
  return undefined;
}

function findBelowBudget({ node, facts, baselines }: GrantQuestion, out: ReadonlySet<string>): string | undefined {
  const index = indexOf(facts.cluster);
  const covering = new Set(index.podsOn(node.name).flatMap((pod) => index.budgetsOf(pod.uid)));
  for (const { name, has, needs, readyOn } of countBudgets(facts, out, baselines, [...covering])) {
    if ((readyOn.get(node.name) ?? 0) === 0 || has >= needs) continue;
    const soon = [...nodesComingBack(facts)].reduce((sum, other) => sum + (readyOn.get(other) ?? 0), 0);
    if (has + soon < needs) return `budget ${name} has ${has} reachable pods without it and must keep ${needs}`;
  }
  return undefined;
}

/** The node would serve the Service if it were back in: it hosts a ready endpoint, or any node will do. */
function couldServe({ name }: NodeRef, service: ServiceFacts, { cluster }: ServingFacts): boolean {
  if (service.externalTrafficPolicy === 'Local')
    return readyEndpoints(service, cluster).some(({ node }) => node === name);
  return indexOf(cluster).nodes.get(name)?.ready === true;
}

/** Names of the nodes that come back for any Service of policy Local. */
function nodesComingBack(facts: ServingFacts): ReadonlySet<string> {
  const local = [...balancedLooks(facts).values()].filter((look) => look.service.externalTrafficPolicy === 'Local');
  return new Set(local.flatMap((look) => comingBack(look, facts)).map(({ name }) => name));
}

/** Nodes that will serve without anybody's doing: Ready, not excluded, and their target has yet to turn healthy. */
function comingBack(look: ServiceLook, facts: ServingFacts): readonly NodeFacts[] {
  const local = look.service.externalTrafficPolicy === 'Local';
  return facts.cluster.nodes.filter(
    (node) =>
      node.ready &&
      !node.excluded &&
      !look.serving.has(node.name) &&
      (local ? (look.readyOn.get(node.name) ?? 0) > 0 : look.attached.has(node.name)),
  );
}
