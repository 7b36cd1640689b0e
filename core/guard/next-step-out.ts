import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { ServicePlan } from '../plan/pool-plan.ts';
import { count } from '../text/format.ts';
import { countServing, lookAtService, nodesOut, type ServiceLook, type ServingCount } from './serving.ts';

/** Everything that decides who may step out next. */
export interface StepOutQuestion {
  /** A fresh look; stale facts plus `inFlight` are safe too, because whoever is in flight never counts as serving. */
  readonly facts: ServingFacts;
  readonly services: readonly ServicePlan[];
  /** Nodes that have been granted and are not finished. */
  readonly inFlight: readonly NodeRef[];
  /** Nodes that wait for a grant, in the order in which they should go. */
  readonly waiting: readonly NodeRef[];
  readonly maxInFlight: number;
  /** False only in experiments that switch the rule `capacity-guard` off. */
  readonly enabled: boolean;
}

/** What keeps a node from stepping out. */
export interface StepOutBlock {
  /** Name of the node that would be next. */
  readonly node: string;
  readonly limit: 'in-flight' | 'targets' | 'zone' | 'endpoints';
  /** `namespace/name`; absent for the limit of nodes in flight. */
  readonly service?: string;
  readonly zone?: string;
  /** The least that must stay (or, for `in-flight`, the most that may be out). */
  readonly needs: number;
  /** What serves now, before the step-out (or, for `in-flight`, how many are out). */
  readonly has: number;
}

/** Who may step out, or why nobody may. */
export interface StepOutAnswer {
  readonly node: NodeRef | undefined;
  /** One sentence with names and numbers. */
  readonly reason: string;
  readonly blockedBy?: StepOutBlock;
}

/**
 * Grants one step-out: the first waiting node whose leaving keeps every Service at or above its floor, in every zone that has one.
 * A node takes from a Service only what it gives to it: one that does not serve the Service is never held back by it.
 */
export function nextStepOut(question: StepOutQuestion): StepOutAnswer {
  const inFlight = new Set(question.inFlight.map((node) => node.name));
  const waiting = question.waiting.filter((node) => !inFlight.has(node.name));
  const first = waiting[0];
  if (first === undefined) return { node: undefined, reason: 'no node waits to step out' };
  if (inFlight.size >= question.maxInFlight) {
    const block = { node: first.name, limit: 'in-flight', needs: question.maxInFlight, has: inFlight.size } as const;
    return { node: undefined, reason: explainBlock(block, []), blockedBy: block };
  }
  if (!question.enabled)
    return { node: first, reason: `${first.name} may step out: the capacity guard is switched off` };
  const looks = lookAtServices(question);
  let blockedBy: StepOutBlock | undefined;
  for (const candidate of waiting) {
    const block = findBlock(candidate, looks);
    if (block === undefined) return { node: candidate, reason: explainGrant(candidate, looks) };
    blockedBy ??= block;
  }
  return {
    node: undefined,
    reason: blockedBy === undefined ? 'no node may step out' : explainBlock(blockedBy, question.services),
    ...(blockedBy === undefined ? {} : { blockedBy }),
  };
}

interface CountedService {
  readonly plan: ServicePlan;
  readonly look: ServiceLook;
  readonly now: ServingCount;
  readonly counted: ReadonlyMap<string, string>;
  readonly out: ReadonlySet<string>;
}

function lookAtServices(question: StepOutQuestion): readonly CountedService[] {
  const { nodes } = question.facts.cluster;
  const waiting = new Set(question.waiting.map((node) => node.name));
  // Not all that wait need be named: the others of their pool will have their turn too.
  const pools = new Set(nodes.filter((node) => waiting.has(node.name)).map((node) => node.pool));
  const out = nodesOut(
    nodes,
    question.inFlight.map((node) => node.name),
    (node) => waiting.has(node.name) || (node.pool !== undefined && pools.has(node.pool)),
  );
  return question.services.map((plan) => {
    const look = lookAtService(plan, question.facts);
    const counted = new Map(look.serving.filter((node) => !out.has(node.name)).map((node) => [node.name, node.zone]));
    return { plan, look, now: countServing(plan, look, out), counted, out };
  });
}

function findBlock(candidate: NodeRef, services: readonly CountedService[]): StepOutBlock | undefined {
  for (const service of services) {
    const block = findTargetBlock(candidate, service) ?? findEndpointBlock(candidate, service);
    if (block !== undefined) return block;
  }
  return undefined;
}

function findTargetBlock(candidate: NodeRef, { plan, now, counted }: CountedService): StepOutBlock | undefined {
  const zone = counted.get(candidate.name);
  if (zone === undefined) return undefined;
  const about = { node: candidate.name, service: plan.service };
  if (now.targets - 1 < plan.floor.targets) {
    return { ...about, limit: 'targets', needs: plan.floor.targets, has: now.targets };
  }
  const needs = plan.floor.perZone[zone] ?? 0;
  const has = now.perZone[zone] ?? 0;
  return has - 1 < needs ? { ...about, limit: 'zone', zone, needs, has } : undefined;
}

/**
 * Under policy Local a node takes its endpoints with it when it steps out. Under Cluster they stay reachable over other nodes until
 * they are evicted, pod by pod, each asked of its budget at that moment: stepping out takes none of them.
 */
function findEndpointBlock(
  candidate: NodeRef,
  { plan, look, now, out, counted }: CountedService,
): StepOutBlock | undefined {
  if (plan.externalTrafficPolicy !== 'Local' || !look.balanced) return undefined;
  const taken = look.endpointsOn.get(candidate.name) ?? 0;
  if (taken === 0 || out.has(candidate.name) || !counted.has(candidate.name)) return undefined;
  if (now.endpoints - taken >= plan.floor.endpoints) return undefined;
  return {
    node: candidate.name,
    service: plan.service,
    limit: 'endpoints',
    needs: plan.floor.endpoints,
    has: now.endpoints,
  };
}

function explainGrant(node: NodeRef, services: readonly CountedService[]): string {
  const kept = services.filter(({ counted }) => counted.has(node.name)).map((service) => explainKept(node, service));
  return kept.length === 0
    ? `${node.name} may step out: it serves nothing`
    : `${node.name} may step out: ${kept.slice(0, 3).join('; ')}`;
}

/** Names the tighter of the two figures: serving targets, or ready endpoints where a budget counts them. */
function explainKept(node: NodeRef, { plan, look, now }: CountedService): string {
  const taken = look.endpointsOn.get(node.name) ?? 0;
  const { floor } = plan;
  const byEndpoints =
    plan.externalTrafficPolicy === 'Local' && now.endpoints - taken - floor.endpoints < now.targets - 1 - floor.targets;
  return byEndpoints
    ? `${plan.service} keeps ${now.endpoints - taken} of ${count(now.endpoints, 'ready endpoint')}, floor ${floor.endpoints}`
    : `${plan.service} keeps ${now.targets - 1} of ${count(now.targets, 'serving target')}, floor ${floor.targets}`;
}

function explainBlock(block: StepOutBlock, services: readonly ServicePlan[]): string {
  if (block.limit === 'in-flight') {
    return `${block.node} waits: ${count(block.has, 'node')} on the way out, at most ${block.needs} may be`;
  }
  const source = services.find((plan) => plan.service === block.service)?.floor.source;
  const what = block.limit === 'endpoints' ? 'ready endpoint' : 'serving target';
  const where = block.zone === undefined ? '' : ` in ${block.zone}`;
  const floor = `must keep ${block.needs}${source === undefined ? '' : ` (${source})`}`;
  return `${block.node} waits: ${block.service ?? ''} has ${count(block.has, what)}${where} and ${floor}`;
}
