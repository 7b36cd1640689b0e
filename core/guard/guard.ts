import { indexOf } from '../model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import { findPeers, membersOf } from '../policy/members.ts';
import type { Policy } from '../policy/policy.ts';
import { type Assumption, assumeFigures, type GuardFigures } from './assumption.ts';
import type { ServiceBaseline } from './baseline.ts';
import type { GuardBlock } from './block.ts';
import { findCandidateBlock, findCandidateZones } from './candidates.ts';
import { type CountedBudget, type CountedService, countBudgets, countService } from './counts.ts';
import { nodesOut, serviceStates } from './serving.ts';
import { unreachableSince } from './unreachable.ts';
import { isUnreached } from './unreached.ts';

/** What a guard counts from. */
export interface GuardQuestion {
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  /** Nodes that have been excluded and are not finished. */
  readonly inFlight: readonly NodeRef[];
  /** Nodes that leave sooner or later, in the order in which they should. Other nodes of their pools leave too. */
  readonly waiting: readonly NodeRef[];
}

/** The figures of one observation, and which nodes may be excluded by them. */
export interface Guard {
  /** What blocks the node now. Undefined when every minimum is met without it. */
  findBlock(node: NodeRef): GuardBlock | undefined;
  /** Keys of the Services whose load balancers decide on that. The others make no difference to this node. */
  decidedBy(node: NodeRef): readonly string[];
  /** Services that the node serves, with the figures as they are now. */
  servedBy(node: NodeRef): readonly CountedService[];
  /** Budgets that lose reachable pods with the node. */
  chargedBy(node: NodeRef): readonly CountedBudget[];
  /** The guard as it would be under this assumption. This guard does not change. */
  assume(assumption: Assumption): Guard;
  readonly services: readonly CountedService[];
  readonly budgets: readonly CountedBudget[];
}

/** Where the Services and budgets that concern a node are in the lists of the figures, by node name. No assumption changes them. */
interface Involved {
  readonly services: ReadonlyMap<string, readonly number[]>;
  readonly budgets: ReadonlyMap<string, readonly number[]>;
}

/**
 * Opens the guard on one observation. A node may be excluded when every Service stays at or above its minimum serving, in every zone that has
 * one, every budget keeps its pods reachable, and every zone that needs one keeps a candidate node. A node that serves nothing of a Service at this moment takes nothing from it either. But a node
 * may serve nothing for a moment only (a failed readiness probe, a late kubelet, a load balancer that fails open), and then it is what lets the
 * Service recover. So as long as the Service is below its minimum serving, the guard blocks every node that hosts its pods or is its registered
 * target. As long as the Service is below its baseline, it blocks every node that could serve it again. Three kinds of nodes are never blocked
 * for this: nodes that a run rolls back, nodes to which the load balancers of the Service never sent anything, and an unreachable node. What is
 * stuck on an unreachable node comes back only on other nodes, and some of it only once the instance has ended.
 */
export function openGuard(question: GuardQuestion): Guard {
  const { facts, policy } = question;
  const out = outOf(question);
  const baselines = new Map(question.baselines.map((baseline) => [baseline.service, baseline]));
  const services = [...serviceStates(facts)].map(([key, state]) =>
    countService(state, facts, policy, baselines.get(key), out),
  );
  const budgets = countBudgets(facts, out, question.baselines);
  const involved = {
    services: placesByNode(services, nodesOf),
    budgets: placesByNode(budgets, ({ hosts }) => hosts),
  };
  const candidates = findCandidateZones(facts, question.inFlight);
  return guardBy({ services, budgets, candidates, out }, involved, question);
}

function guardBy(figures: GuardFigures, involved: Involved, question: GuardQuestion): Guard {
  const { services, budgets, candidates, out } = figures;
  const { facts } = question;
  const below = services.filter(isBelow);
  const counts = (service: CountedService, node: NodeRef) =>
    service.state.serving.has(node.name) && !out.has(node.name);
  const servicesOn = ({ name }: NodeRef) => pick(services, involved.services.get(name));
  const budgetsOn = ({ name }: NodeRef) => pick(budgets, involved.budgets.get(name));

  return {
    services,
    budgets,
    servedBy: (node) => servicesOn(node).filter((service) => counts(service, node)),
    chargedBy: (node) => budgetsOn(node).filter(({ takenWith }) => takenWith.has(node.name)),
    findBlock: (node) => {
      const isLost = unreachableSince(node, facts, facts.observedAt) !== undefined;
      for (const service of involving(node)) {
        const isServing = counts(service, node);
        const block = isLost && !isServing ? undefined : findServiceBlock(node, service, isServing, question);
        if (block !== undefined) return block;
      }
      for (const budget of budgetsOn(node)) {
        const isIdle = isLost && !budget.takenWith.has(node.name);
        const block = findBudgetBlock(node, budget, isIdle || out.has(node.name));
        if (block !== undefined) return block;
      }
      return findCandidateBlock(node, candidates);
    },
    decidedBy: (node) => {
      const own = involving(node).map(({ state }) => state.service.key);
      const shared = budgetsOn(node).flatMap((budget) => [...budget.services]);
      return [...new Set([...own, ...shared])];
    },
    assume: (assumption) => guardBy(assumeFigures(figures, assumption, facts), involved, question),
  };

  function involving(node: NodeRef): readonly CountedService[] {
    const own = servicesOn(node);
    if (below.length === 0) return own;
    return [...own, ...below.filter((service) => !own.includes(service) && service.state.attached.has(node.name))];
  }
}

function isBelow({ targets, minServing, perZone }: CountedService): boolean {
  return (
    targets < minServing.targets ||
    Object.entries(minServing.perZone).some(([zone, least]) => (perZone.get(zone) ?? 0) < least)
  );
}

/** Names of the nodes that count as out. */
export function outOf({
  facts,
  inFlight,
  waiting,
  policy,
}: Pick<GuardQuestion, 'facts' | 'inFlight' | 'waiting' | 'policy'>): ReadonlySet<string> {
  const { nodes } = facts.cluster;
  const index = indexOf(facts.cluster);
  const names = new Set(waiting.map((node) => node.name));
  // The waiting nodes need not all be named: the others that have the same part will leave too.
  const members = membersOf(facts.cluster, policy);
  const peers = [...new Set(waiting.map((node) => findPeers(index.nodes.get(node.name)?.uid, members)))];
  const isPeer = ({ uid }: NodeFacts) => peers.some((uids) => uids?.has(uid));
  return nodesOut(
    nodes,
    inFlight.map((node) => node.name),
    (node) => names.has(node.name) || isPeer(node),
  );
}

/** Nodes that a Service may block. Under policy Cluster, only a Service below its minimum serving can block a node that is merely registered. */
function nodesOf({ state, unsafe }: CountedService): ReadonlySet<string> {
  if (state.reach === 'node') return state.attached;
  return unsafe.size === 0 ? state.hosts : new Set([...state.hosts, ...unsafe.keys()]);
}

function placesByNode<T>(
  items: readonly T[],
  nodesOf: (item: T) => ReadonlySet<string>,
): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, item] of items.entries()) {
    for (const node of nodesOf(item)) {
      const known = places.get(node);
      if (known === undefined) places.set(node, [place]);
      else known.push(place);
    }
  }
  return places;
}

function pick<T>(items: readonly T[], places: readonly number[] = []): readonly T[] {
  return places.flatMap((place) => items[place] ?? []);
}

function findServiceBlock(
  node: NodeRef,
  service: CountedService,
  counts: boolean,
  { facts, policy }: GuardQuestion,
): GuardBlock | undefined {
  const passing = findPassingBlock(node, service, counts);
  if (passing !== undefined) return passing;
  const { state, minServing, targets, perZone, comparison, unreached } = service;
  if (!counts && isUnreached(node.name, facts, unreached)) return undefined;
  const about = {
    node: node.name,
    service: state.service.key,
    source: minServing.source,
    ...(counts ? {} : { idle: true }),
  };
  const taken = counts ? (state.serving.get(node.name)?.targets ?? 1) : 0;
  if (targets - taken < minServing.targets)
    return { ...about, limit: 'targets', needs: minServing.targets, has: targets };
  const zone = state.serving.get(node.name)?.zone ?? indexOf(facts.cluster).nodes.get(node.name)?.zone ?? node.zone;
  const needs = minServing.perZone[zone] ?? 0;
  const has = perZone.get(zone) ?? 0;
  if (has - taken < needs) return { ...about, limit: 'zone', zone, needs, has };
  const mayServeAgain = state.reach === 'node' || (state.hosts.has(node.name) && !isOfNewPool(node, facts, policy));
  if (counts || !mayServeAgain || comparison === undefined || comparison.has >= comparison.needs) return undefined;
  return { ...about, limit: 'best', ...comparison };
}

/**
 * New nodes leave only when a run rolls back. A pod that is not ready there may be just what is lacking, and it recovers only once it has moved.
 * Waiting for it would never end.
 */
function isOfNewPool({ name }: NodeRef, { cluster }: ServingFacts, policy: Policy): boolean {
  return membersOf(cluster, policy).new.has(indexOf(cluster).nodes.get(name)?.uid ?? '');
}

/** What blocks a node whatever the figures are, and resolves itself. */
function findPassingBlock(node: NodeRef, service: CountedService, counts: boolean): GuardBlock | undefined {
  const about = { node: node.name, service: service.state.service.key, needs: 0, has: 0 };
  const workload = service.rollingOn.get(node.name);
  if (workload !== undefined) return { ...about, limit: 'rollout', what: workload };
  const unsafe = service.unsafe.get(node.name);
  if (unsafe === undefined || (counts && unsafe.limit === 'unnoticed')) return undefined;
  return { ...about, limit: unsafe.limit, what: unsafe.group };
}

function findBudgetBlock(node: NodeRef, budget: CountedBudget, isOut: boolean): GuardBlock | undefined {
  if (isOut) return undefined;
  const taken = budget.takenWith.get(node.name) ?? 0;
  if (budget.has - taken >= budget.needs) return undefined;
  const { name, needs, has, most, demand } = budget;
  const idle = taken === 0 ? { idle: true } : {};
  const known = demand === undefined ? {} : { demand };
  const never = most - taken < needs ? { never: { expects: most, takes: taken, ...known } } : {};
  return { node: node.name, ...idle, limit: 'endpoints', budget: name, needs, has, ...never };
}
