import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { type Assumption, assumeFigures, type GuardFigures } from './assumption.ts';
import type { ServiceBaseline } from './baseline.ts';
import type { GuardBlock } from './block.ts';
import { type CountedBudget, type CountedService, countBudgets, countService } from './counts.ts';
import { nodesOut, serviceStates } from './serving.ts';
import { unreachableSince } from './unreachable.ts';
import { isUnreached } from './unreached.ts';

/** What a guard counts from. */
export interface GuardQuestion {
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  /** Nodes that have been granted and are not finished. */
  readonly inFlight: readonly NodeRef[];
  /** Nodes that shall go sooner or later, in the order in which they should; others of their pools shall too. */
  readonly waiting: readonly NodeRef[];
}

/** The figures of one look, and who may go by them. */
export interface Guard {
  /** What keeps the node from leaving now; undefined when every floor holds without it. */
  findBlock(node: NodeRef): GuardBlock | undefined;
  /** Keys of the Services whose load balancers decide on that; what others are like makes no difference to this node. */
  decidedBy(node: NodeRef): readonly string[];
  /** Services that the node serves, with the figures as they are now. */
  servedBy(node: NodeRef): readonly CountedService[];
  /** Budgets that lose reachable pods with the node. */
  chargedBy(node: NodeRef): readonly CountedBudget[];
  /** The guard if this were so, too. This one answers as before. */
  assume(assumption: Assumption): Guard;
  readonly services: readonly CountedService[];
  readonly budgets: readonly CountedBudget[];
}

/** Places of the Services and budgets, in the lists of the figures, that have to do with a node, by its name. No assumption changes them. */
interface Involved {
  readonly services: ReadonlyMap<string, readonly number[]>;
  readonly budgets: ReadonlyMap<string, readonly number[]>;
}

/**
 * Opens the guard on one look. A node may go when every Service stays at or above its floor, in every zone that has one, and every
 * budget keeps its pods reachable. A node that gives a Service nothing at this moment takes nothing from it either; but what gives
 * nothing for a moment (a failed readiness probe, a kubelet that is late, a load balancer that fails open) is what brings the
 * Service back the moment after. So every node that hosts its pods or is its registered target is held as long as the Service is
 * below its floor, and what could serve it again as soon as it lacks anything of its best; but for the nodes that a run turns back from,
 * those where its load balancers have sent nothing before, and one that is unreachable: what hangs there comes back only elsewhere, some of
 * it only once its machine has ended.
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
  return guardBy({ services, budgets, out }, involved, question);
}

function guardBy(figures: GuardFigures, involved: Involved, question: GuardQuestion): Guard {
  const { services, budgets, out } = figures;
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
      return undefined;
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
}: Pick<GuardQuestion, 'facts' | 'inFlight' | 'waiting'>): ReadonlySet<string> {
  const { nodes } = facts.cluster;
  const index = indexOf(facts.cluster);
  const names = new Set(waiting.map((node) => node.name));
  // Not all that wait need be named: the others of their pool will have their turn too.
  const pools = new Set(waiting.map((node) => index.nodes.get(node.name)?.pool));
  return nodesOut(
    nodes,
    inFlight.map((node) => node.name),
    (node) => names.has(node.name) || (node.pool !== undefined && pools.has(node.pool)),
  );
}

/** Nodes that a Service may hold; one that is registered only, under policy Local, can't be held but by a Service below its floor. */
function nodesOf({ state, traps }: CountedService): ReadonlySet<string> {
  if (state.service.externalTrafficPolicy === 'Cluster') return state.attached;
  return traps.size === 0 ? state.hosts : new Set([...state.hosts, ...traps.keys()]);
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
  const taken = counts ? 1 : 0;
  if (targets - taken < minServing.targets)
    return { ...about, limit: 'targets', needs: minServing.targets, has: targets };
  const zone = state.serving.get(node.name)?.zone ?? indexOf(facts.cluster).nodes.get(node.name)?.zone ?? node.zone;
  const needs = minServing.perZone[zone] ?? 0;
  const has = perZone.get(zone) ?? 0;
  if (has - taken < needs) return { ...about, limit: 'zone', zone, needs, has };
  const mayServeAgain =
    state.service.externalTrafficPolicy === 'Cluster' ||
    (state.hosts.has(node.name) && !isOfNewPool(node, facts, policy));
  if (counts || !mayServeAgain || comparison === undefined || comparison.has >= comparison.needs) return undefined;
  return { ...about, limit: 'best', ...comparison };
}

/**
 * New nodes leave only when a run turns back. What is not ready on them may be the very thing that is lacking, and comes back only once
 * it has been moved: to wait for it there would be a circle.
 */
function isOfNewPool({ name }: NodeRef, { cluster }: ServingFacts, { target }: Policy): boolean {
  return indexOf(cluster).nodes.get(name)?.pool === target.poolName;
}

/** What holds a node whatever the figures are, and ends by itself. */
function findPassingBlock(node: NodeRef, service: CountedService, counts: boolean): GuardBlock | undefined {
  const about = { node: node.name, service: service.state.service.key, needs: 0, has: 0 };
  const workload = service.rollingOn.get(node.name);
  if (workload !== undefined) return { ...about, limit: 'rollout', what: workload };
  const trap = service.traps.get(node.name);
  if (trap === undefined || (counts && trap.limit === 'unnoticed')) return undefined;
  return { ...about, limit: trap.limit, what: trap.group };
}

function findBudgetBlock(node: NodeRef, budget: CountedBudget, isOut: boolean): GuardBlock | undefined {
  if (isOut) return undefined;
  const taken = budget.takenWith.get(node.name) ?? 0;
  if (budget.has - taken >= budget.needs) return undefined;
  const idle = taken === 0 ? { idle: true } : {};
  return { node: node.name, ...idle, limit: 'endpoints', budget: budget.name, needs: budget.needs, has: budget.has };
}
