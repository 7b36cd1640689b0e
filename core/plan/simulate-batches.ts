import { isNodeBound } from '../eviction/node-bound.ts';
import type { ServiceBaseline } from '../guard/baseline.ts';
import { explainBlock, type GuardBlock } from '../guard/block.ts';
import type { CountedBudget, CountedService } from '../guard/counts.ts';
import { type Guard, openGuard } from '../guard/guard.ts';
import { layOutInSlices } from '../guard/lay-out.ts';
import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { PodFacts } from '../model/pod.ts';
import type { ClusterFacts, ServingFacts } from '../model/serving.ts';
import { decideEligibilityInSlices } from '../pod-surge/eligibility.ts';
import type { PodSurgeContext } from '../pod-surge/rules/rule.ts';
import { selectBatches } from '../pod-surge/select-batch.ts';
import { selectReleases } from '../pod-surge/select-releases.ts';
import { type Policy, surgesPods } from '../policy/policy.ts';
import { isEnabled } from '../policy/rules.ts';
import { doAtOnce, type Slices } from '../slices.ts';
import { countWaves, surgeAtOnce } from '../surge/at-once.ts';
import { idealFacts } from './ideal-facts.ts';
import { openBudget, packBatches, type Taking } from './pack-batches.ts';

/** The nodes to replace and what guards them. */
export interface BatchesInput {
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  /** Nodes to replace, in order. */
  readonly nodes: readonly NodeRef[];
  /** Claims (`namespace/name`) whose volumes any number of nodes may mount; none when it is not given. */
  readonly sharedVolumeClaims?: ReadonlySet<string>;
  readonly denials?: ReadonlyMap<string, string>;
}

/** Nodes that leave together. */
export interface Batch {
  readonly nodes: readonly NodeRef[];
  /** UIDs of its pods that have been surged. */
  readonly surged: ReadonlySet<string>;
  /** Pod surge happens right before it. */
  readonly followsPodSurge: boolean;
  /** The wave of new nodes that it belongs to, from 0 on. */
  readonly wave: number;
}

/** Pods that move when the nodes of the batch leave. */
export function podsLeaving({ nodes }: Batch, cluster: ClusterFacts): readonly PodFacts[] {
  return nodes.flatMap(({ name }) => indexOf(cluster).podsOn(name)).filter((pod) => !isNodeBound(pod));
}

/** No pod has to be replaced after these nodes have left: all that move were surged. */
export function isSurged(batch: Batch, cluster: ClusterFacts): boolean {
  const leaving = podsLeaving(batch, cluster);
  return leaving.length > 0 && leaving.every(({ uid }) => batch.surged.has(uid));
}

/** Which nodes the guard lets leave together if everything in between goes perfectly. */
export interface Batches extends Played {
  /** How often pod surge happens before nodes leave; 0 without pod surge. */
  readonly podSurges: number;
}

/** The same for some of the nodes. */
interface Played {
  readonly batches: readonly Batch[];
  /** Nodes that the guard never lets leave, and what blocks the first of them; empty when the run is possible. */
  readonly stuck: readonly NodeRef[];
  readonly block: GuardBlock | undefined;
  readonly reason: string | undefined;
}

/**
 * Simulates the run with perfect progress: the guard excludes nodes until it stops, then every node of the batch is replaced by a new node in the
 * same zone that takes over the pods, and so on. Under policy Cluster the new nodes serve from the beginning, so an old node takes nothing with
 * it that its replacement does not serve. Under policy Local the figures of a batch recover when it ends. So every batch begins with the same
 * figures, and a node that is blocked by them is blocked for good. Where nodes are drained and no new ones come, the
 * replacements run on nodes that stay; GRD-002 finds where none does.
 */
export function simulateBatches(input: BatchesInput): Batches {
  return doAtOnce(simulateInSlices(input));
}

/** The same, wave after wave. */
export function* simulateInSlices(input: BatchesInput): Slices<Batches> {
  const { policy, nodes, sharedVolumeClaims = new Set<string>(), denials = new Map<string, string>() } = input;
  const facts = idealFacts(input.facts);
  yield;
  yield* layOutInSlices(facts);
  const guard = isEnabled(policy, 'capacity-guard') ? openIdealGuard(input, facts) : undefined;
  const context = { cluster: facts.cluster, policy, sharedVolumeClaims, denials };
  if (surgesPods(policy)) yield* decideEligibilityInSlices(nodes, context);
  const played: Played[] = [];
  for (const [wave, leaving] of wavesOf(nodes, policy).entries()) {
    yield;
    if (!surgesPods(policy)) {
      played.push(letLeave(leaving, wave, [], guard, policy));
      continue;
    }
    for (const batch of selectBatches({ ...context, waiting: leaving, maxNodes: policy.guard.maxInFlight })) {
      yield;
      played.push(simulateBatch(batch, wave, guard, facts, context));
    }
  }
  return { ...joinBatches(played), podSurges: surgesPods(policy) ? played.length : 0 };
}

/** Nodes for which new ones come up together; at least one wave, even when no node is to leave. */
function wavesOf(nodes: readonly NodeRef[], policy: Policy): readonly (readonly NodeRef[])[] {
  const atOnce = surgeAtOnce(policy, nodes.length) ?? nodes.length;
  return Array.from({ length: countWaves(policy, nodes.length) }, (_, index) =>
    nodes.slice(index * atOnce, (index + 1) * atOnce),
  );
}

/** A surged batch leaves when the replacements of its pods are in place. Everything is as before once it has left. */
function simulateBatch(
  batch: readonly NodeRef[],
  wave: number,
  guard: Guard | undefined,
  facts: ServingFacts,
  context: PodSurgeContext,
): Played {
  const candidates = batch.flatMap(({ name }) => indexOf(facts.cluster).podsOn(name));
  const released = selectReleases(candidates, context, new Map(), facts.observedAt).release.map(({ pod }) => pod);
  return letLeave(batch, wave, released, guard?.assume({ replaced: released }), context.policy);
}

function joinBatches(played: readonly Played[]): Played {
  const blocked = played.find(({ block }) => block !== undefined);
  return {
    batches: played.flatMap(({ batches }) => batches),
    stuck: played.flatMap(({ stuck }) => stuck),
    block: blocked?.block,
    reason: blocked?.reason,
  };
}

/** As many together as the guard allows, until no node is left or none may leave; all of them without a guard. */
function letLeave(
  nodes: readonly NodeRef[],
  wave: number,
  released: readonly PodFacts[],
  guard: Guard | undefined,
  policy: Policy,
): Played {
  const place = { from: openBudget(policy.guard.maxInFlight), amount: 1 };
  const takenBy = guard === undefined ? () => [] : openBudgets(guard);
  const blocks = nodes.map((node) => guard?.findBlock(node));
  const movable = nodes.filter((_, index) => blocks[index] === undefined);
  const packed = packBatches(movable, (node) => [place, ...takenBy(node)]);
  const surged = new Set(released.map(({ uid }) => uid));
  const block = blocks.find((found) => found !== undefined);
  return {
    batches: packed.map((batch, index) => ({
      nodes: batch,
      surged,
      followsPodSurge: released.length > 0 && index === 0,
      wave,
    })),
    stuck: nodes.filter((_, index) => blocks[index] !== undefined),
    block,
    reason: block === undefined ? undefined : explainBlock(block),
  };
}

/** What a node uses up when it leaves: its targets of each Service that it serves, also in its zone if that has a minimum, and pods of budgets. */
function openBudgets(guard: Guard): (node: NodeRef) => readonly Taking[] {
  const targets = onceFor(({ targets: has, minServing }: CountedService) => openBudget(has - minServing.targets));
  const zones = onceFor(
    ({ perZone, minServing }: CountedService) =>
      new Map(
        Object.entries(minServing.perZone).map(([zone, needs]) => [zone, openBudget((perZone.get(zone) ?? 0) - needs)]),
      ),
  );
  const budgets = onceFor(({ has, needs }: CountedBudget) => openBudget(has - needs));
  return (node) => [
    ...guard.servedBy(node).flatMap((service) => {
      const own = service.state.serving.get(node.name);
      const zone = zones(service).get(own?.zone ?? node.zone);
      const amount = own?.targets ?? 1;
      return [targets(service), ...(zone === undefined ? [] : [zone])].map((from) => ({ from, amount }));
    }),
    ...guard.chargedBy(node).map((budget) => ({ from: budgets(budget), amount: budget.takenWith.get(node.name) ?? 0 })),
  ];
}

/** The guard when nothing is missing, every Service is at its baseline, and every new node is there: those of policy Cluster serve. */
function openIdealGuard({ policy, baselines, nodes }: BatchesInput, facts: ServingFacts): Guard {
  const guard = openGuard({ facts, policy, baselines, inFlight: [], waiting: nodes });
  return guard.assume({ recovered: true, ...(policy.selection === undefined ? { joined: nodes } : {}) });
}
