import { indexOf } from '../model/cluster-index.ts';
import { isExcludedFrom } from '../model/excluded-from.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import { readyEndpoints } from '../model/ready-endpoints.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import type { ServiceBaseline } from './baseline.ts';
import { findLostCandidate } from './candidates.ts';
import { countBudgets, countTargets } from './counts.ts';
import { outOf } from './guard.ts';
import { computeMinServing } from './min-serving.ts';
import { balancedServices, type ServiceState, serviceStates, stateOf } from './serving.ts';
import { isUnreached } from './unreached.ts';

/** An excluded node in progress, before the first eviction. */
interface ExclusionQuestion {
  readonly node: NodeRef;
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
}

/**
 * Why an excluded node should be restored: without it a Service or budget is below its minimum or a zone without a candidate, because others have
 * failed since, and the node could still serve. Nodes that are being restored count as if they served. Undefined while the exclusion may stay.
 */
export function findRevocation(question: ExclusionQuestion): string | undefined {
  if (!isEnabled(question.policy, 'capacity-guard')) return undefined;
  const { node, facts, policy } = question;
  const out = outOf({ facts, policy, inFlight: [], waiting: [node] });
  return findBelow(question, { out, findComing: recoveringNodes });
}

/**
 * Why a node in progress that has lost its exclude label must not get it again: others have failed or left since, and without it a Service or budget is
 * below its minimum or a zone without a candidate. Nodes that are being restored count only once they serve. Undefined while it may be excluded again.
 */
export function findReexclusionBlock(question: ExclusionQuestion): string | undefined {
  if (!isEnabled(question.policy, 'capacity-guard')) return undefined;
  const { node, facts, policy } = question;
  const out = outOf({ facts, policy, inFlight: [node], waiting: [node] });
  return findBelow(question, { out, findComing: () => [] });
}

/** Which nodes count as out, and which as if they served. */
interface Counting {
  readonly out: ReadonlySet<string>;
  readonly findComing: (state: ServiceState, facts: ServingFacts) => readonly NodeFacts[];
}

function findBelow(question: ExclusionQuestion, counting: Counting): string | undefined {
  const { node, facts } = question;
  return (
    findBelowMinServing(question, counting) ?? findBelowBudget(question, counting) ?? findLostCandidate(node, facts)
  );
}

function findBelowMinServing(
  { node, facts, policy, baselines }: ExclusionQuestion,
  { out, findComing }: Counting,
): string | undefined {
  for (const { service } of balancedServices(facts).values()) {
    const state = stateOf(service, facts);
    if (!canServe(node, state, facts)) continue;
    const baseline = baselines.find((known) => known.service === service.key);
    if (isUnreached(node.name, facts, baseline?.unreached)) continue;
    const { targets, perZone } = countTargets(state, out);
    const minServing = computeMinServing(state, facts, policy, baseline);
    const needs = minServing.perZone[node.zone] ?? 0;
    const has = perZone.get(node.zone) ?? 0;
    if (targets >= minServing.targets && has >= needs) continue;
    const coming = findComing(state, facts);
    if (targets + coming.length < minServing.targets)
      return `${service.key} has ${targets} serving targets without it and must keep ${minServing.targets} (${minServing.source})`;
    if (has + coming.filter(({ zone }) => zone === node.zone).length < needs)
      return `${service.key} has ${has} serving targets in ${node.zone} without it and must keep ${needs}`;
  }
  return undefined;
}

function findBelowBudget(
  { node, facts, baselines }: ExclusionQuestion,
  { out, findComing }: Counting,
): string | undefined {
  const index = indexOf(facts.cluster);
  const covering = new Set(index.podsOn(node.name).flatMap((pod) => index.budgetsOf(pod.uid)));
  for (const { name, has, needs, readyOn } of countBudgets(facts, out, baselines, [...covering])) {
    if ((readyOn.get(node.name) ?? 0) === 0 || has >= needs) continue;
    const soon = [...nodesComingBack(facts, findComing)].reduce((sum, other) => sum + (readyOn.get(other) ?? 0), 0);
    if (has + soon < needs) return `budget ${name} has ${has} reachable pods without it and must keep ${needs}`;
  }
  return undefined;
}

/** The node would serve the Service, or go on serving it, if it were restored: it hosts a ready endpoint, or the Service needs none on the node. */
function canServe({ name }: NodeRef, { service, reach }: ServiceState, { cluster }: ServingFacts): boolean {
  if (reach !== 'node') return readyEndpoints(service, cluster).some(({ node }) => node === name);
  return indexOf(cluster).nodes.get(name)?.ready === true;
}

/** Names of the nodes that are being restored and count for any Service of policy Local. */
function nodesComingBack(facts: ServingFacts, findComing: Counting['findComing']): ReadonlySet<string> {
  const local = [...serviceStates(facts).values()].filter(({ reach }) => reach === 'host');
  return new Set(local.flatMap((state) => findComing(state, facts)).map(({ name }) => name));
}

/** Nodes that will serve without any action: Ready, not excluded, and their target is not healthy yet. */
function recoveringNodes(state: ServiceState, facts: ServingFacts): readonly NodeFacts[] {
  const local = state.reach !== 'node';
  return facts.cluster.nodes.filter(
    (node) =>
      node.ready &&
      !node.excluded &&
      !state.groups.some((group) => isExcludedFrom(node, group)) &&
      !state.serving.has(node.name) &&
      (local ? (state.readyOn.get(node.name) ?? 0) > 0 : state.attached.has(node.name)),
  );
}
