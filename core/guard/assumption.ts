import { indexOf } from '../model/cluster-index.ts';
import { isReadyEndpoint } from '../model/endpoints.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import { servesIn } from '../model/pod-targets.ts';
import type { ServingFacts } from '../model/serving.ts';
import { membershipOf } from '../model/target-group.ts';
import { assumeCandidates, type CandidateZones } from './candidates.ts';
import { type CountedBudget, type CountedService, localStates } from './counts.ts';
import type { ServiceState } from './serving.ts';

/** What is taken to be true besides what was observed. Every part may be left out. */
export interface Assumption {
  /** Nodes that are out of their load balancers, as though they were in flight. */
  readonly excluded?: readonly NodeRef[];
  /** Nodes for each of which a new one has joined in the same zone. It serves what the old one serves under policy Cluster. */
  readonly joined?: readonly NodeRef[];
  /**
   * Pods for each of which a replacement runs on a new node in the same zone. It is Ready where its pod is. In load balancers that check nodes
   * for pods, the new node is healthy where the old one is.
   */
  readonly replaced?: readonly PodFacts[];
  /** Every Service has what it had at its baseline. */
  readonly recovered?: boolean;
}

/** The figures that a guard decides by. */
export interface GuardFigures {
  readonly services: readonly CountedService[];
  readonly budgets: readonly CountedBudget[];
  /** Zones that need a candidate node, with those that they have. */
  readonly candidates: CandidateZones;
  /** Names of the nodes that count as out. */
  readonly out: ReadonlySet<string>;
}

/** Additions to the counts of one Service: serving targets by zone, and how far it gets towards its baseline. */
interface ServiceChange {
  readonly zones: readonly string[];
  readonly by: 1 | -1;
  readonly baseline: number;
}

/**
 * The figures under an assumption. The given figures do not change. What must be kept (minimum serving, budgets, baselines) is not computed
 * again: an assumption changes what is there, not what is needed.
 */
export function assumeFigures(figures: GuardFigures, assumption: Assumption, facts: ServingFacts): GuardFigures {
  const { excluded = [], joined = [], replaced = [], recovered = false } = assumption;
  const candidates = assumeCandidates(figures.candidates, { joined, excluded });
  return [
    (before: GuardFigures) => (recovered ? recover(before) : before),
    (before: GuardFigures) => (joined.length === 0 ? before : addJoined(before, joined, facts)),
    (before: GuardFigures) => (replaced.length === 0 ? before : addReplacements(before, replaced, facts)),
    (before: GuardFigures) => (excluded.length === 0 ? before : subtractExcluded(before, excluded)),
  ].reduce((before, change) => change(before), { ...figures, candidates });
}

function recover(figures: GuardFigures): GuardFigures {
  return { ...figures, services: figures.services.map((service) => ({ ...service, comparison: undefined })) };
}

function addJoined(figures: GuardFigures, joined: readonly NodeRef[], facts: ServingFacts): GuardFigures {
  const services = figures.services.map((service) => {
    const { state } = service;
    if (state.reach !== 'node' || leavesNodesOut(state, facts)) return service;
    const zones = joined.flatMap(({ name }) => state.serving.get(name)?.zone ?? []);
    return changeService(service, { zones, by: 1, baseline: zones.length });
  });
  return { ...figures, services };
}

/** A group that draws its targets is full, so that a new node is no target in addition. */
function leavesNodesOut({ groups, attached }: ServiceState, { cluster }: ServingFacts): boolean {
  if (!groups.some((group) => membershipOf(group) === 'subset')) return false;
  return cluster.nodes.some(({ name, ready, excluded }) => ready && !excluded && !attached.has(name));
}

/** One target of a Service for all replacements of the pods of one node: they run on one new node. */
function addReplacements(figures: GuardFigures, pods: readonly PodFacts[], facts: ServingFacts): GuardFigures {
  const hosts = new Map<string, Set<string>>();
  const endpoints = new Map<string, number>();
  const added = new Map<string, { has: number; most: number }>();
  for (const pod of pods) {
    const states = localStates(pod, facts);
    const { node = '' } = pod;
    for (const { service, serving } of states) {
      if (!serving.has(node)) continue;
      const names = hosts.get(service.key) ?? new Set();
      hosts.set(service.key, names.add(node));
      if (pod.ready) endpoints.set(service.key, (endpoints.get(service.key) ?? 0) + 1);
    }
    const isReached = pod.ready && states.every(({ serving }) => serving.has(node));
    for (const { namespace, name } of indexOf(facts.cluster).budgetsOf(pod.uid)) {
      const { has, most } = added.get(`${namespace}/${name}`) ?? { has: 0, most: 0 };
      added.set(`${namespace}/${name}`, { has: has + (isReached ? 1 : 0), most: most + 1 });
    }
  }
  return {
    ...figures,
    services: figures.services.map((service) => {
      const { key } = service.state.service;
      const zones = [...(hosts.get(key) ?? [])].flatMap((name) => service.state.serving.get(name)?.zone ?? []);
      const own = service.state.reach === 'pod' ? zonesOfPods(service.state, pods, facts) : [];
      return changeService(service, { zones: [...zones, ...own], by: 1, baseline: endpoints.get(key) ?? own.length });
    }),
    budgets: figures.budgets.map((budget) => {
      const more = added.get(budget.name);
      return more === undefined ? budget : { ...budget, has: budget.has + more.has, most: budget.most + more.most };
    }),
  };
}

/** Zones of those of the pods that are serving targets of the Service. */
function zonesOfPods({ service, groups }: ServiceState, pods: readonly PodFacts[], { cluster }: ServingFacts) {
  const { nodes } = indexOf(cluster);
  const serving = pods.filter((pod) => isReadyEndpoint(pod, service) && groups.every((group) => servesIn(pod, group)));
  return serving.flatMap(({ node = '' }) => nodes.get(node)?.zone ?? []);
}

/** Under policy Local, and where pods are targets, the baseline counts pods, and those on a node that is out are not lost to the Service. */
function subtractExcluded(figures: GuardFigures, excluded: readonly NodeRef[]): GuardFigures {
  const names = new Set(excluded.map(({ name }) => name).filter((name) => !figures.out.has(name)));
  const services = figures.services.map((service) => {
    const { state } = service;
    const zones = [...names].flatMap((name) => zonesOfTargets(state, name));
    const baseline = state.reach === 'node' ? -zones.length : 0;
    return changeService(service, { zones, by: -1, baseline });
  });
  const budgets = figures.budgets.map((budget) => takeFromBudget(budget, names));
  return { ...figures, services, budgets, out: new Set([...figures.out, ...names]) };
}

/** The zone of the node, once for each serving target that leaves with it. */
function zonesOfTargets({ serving }: ServiceState, node: string): readonly string[] {
  const { zone = '', targets = 0 } = serving.get(node) ?? {};
  return Array.from({ length: targets }, () => zone);
}

function takeFromBudget(budget: CountedBudget, names: ReadonlySet<string>): CountedBudget {
  const taken = [...names].reduce((sum, name) => sum + (budget.takenWith.get(name) ?? 0), 0);
  if (taken === 0) return budget;
  const takenWith = new Map([...budget.takenWith].filter(([name]) => !names.has(name)));
  return { ...budget, has: budget.has - taken, takenWith };
}

/** The Service itself where nothing changes. */
function changeService(service: CountedService, { zones, by, baseline }: ServiceChange): CountedService {
  const { comparison } = service;
  if (zones.length === 0 && baseline === 0) return service;
  const perZone = new Map(service.perZone);
  for (const zone of zones) perZone.set(zone, (perZone.get(zone) ?? 0) + by);
  return {
    ...service,
    targets: service.targets + by * zones.length,
    perZone,
    comparison: comparison && { ...comparison, has: comparison.has + baseline },
  };
}
