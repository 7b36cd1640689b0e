import type { ServiceBaseline } from '../guard/baseline.ts';
import { explainBlock, type StepOutBlock } from '../guard/block.ts';
import type { CountedBudget, CountedService } from '../guard/counts.ts';
import { type Guard, openGuard } from '../guard/guard.ts';
import { chooseWave } from '../hand-over/choose-wave.ts';
import { onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import { handOverOf, type Policy, type Surplus } from '../policy/policy.ts';
import { isEnabled } from '../waits/formulas.ts';
import { handedOverFacts } from './handed-over-facts.ts';
import { openSupply, packWindows, type Taking } from './pack-windows.ts';
import { perfectFacts } from './perfect-facts.ts';

/** The nodes to replace and what guards them. */
export interface WindowsInput {
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  /** Nodes to replace, in order. */
  readonly nodes: readonly NodeRef[];
  /** Claims (`namespace/name`) whose volumes any number of nodes may mount; none when it is not given. */
  readonly sharedClaims?: ReadonlySet<string>;
}

/** Which nodes the guard lets out together when everything in between goes as well as it can. */
export interface Windows {
  readonly windows: readonly (readonly NodeRef[])[];
  /** Nodes that the guard never lets out, and what holds the first of them; empty when the run is possible. */
  readonly stuck: readonly NodeRef[];
  readonly block: StepOutBlock | undefined;
  readonly reason: string | undefined;
}

/**
 * Plays the run with perfect progress: the guard grants until it stops, then everybody in the window is replaced by a new node in the
 * same zone that takes over the pods, and so on. The new nodes of policy Cluster serve from the beginning, so there an old node takes
 * nothing with it that its replacement does not give; under Local a window's figures come back with its end. So every window begins
 * with the same figures, and whom those hold is held for good.
 */
export function simulateWindows(input: WindowsInput): Windows {
  const handOver = handOverOf(input.policy);
  if (handOver === undefined) return simulateTogether(input, perfectFacts(input.facts));
  return joinWindows(playWaves(input, handOver.surplus));
}

/** One wave after another, each with the replacements of its pods in place. */
function playWaves(input: WindowsInput, surplus: Surplus): readonly Windows[] {
  const { policy, sharedClaims = new Set() } = input;
  const facts = perfectFacts(input.facts);
  const context = { policy, sharedClaims, surplusOf: () => surplus };
  const mostNodes = policy.guard.maxInFlight;
  const played: Windows[] = [];
  for (let waiting = input.nodes; waiting.length > 0; ) {
    const wave = chooseWave({ ...context, cluster: facts.cluster, waiting, mostNodes });
    played.push(simulateTogether({ ...input, nodes: wave }, handedOverFacts({ ...context, facts, wave })));
    const gone = new Set(wave);
    waiting = waiting.filter((node) => !gone.has(node));
  }
  return played;
}

function joinWindows(played: readonly Windows[]): Windows {
  const held = played.find(({ block }) => block !== undefined);
  return {
    windows: played.flatMap(({ windows }) => windows),
    stuck: played.flatMap(({ stuck }) => stuck),
    block: held?.block,
    reason: held?.reason,
  };
}

function simulateTogether(input: WindowsInput, facts: ServingFacts): Windows {
  const places = openSupply(input.policy.guard.maxInFlight);
  const place = { from: places, amount: 1 };
  if (!isEnabled(input.policy, 'capacity-guard'))
    return { windows: packWindows(input.nodes, () => [place]), stuck: [], block: undefined, reason: undefined };
  const guard = openPerfectGuard(input, facts);
  const blocks = input.nodes.map((node) => guard.findBlock(node));
  const takenBy = openSupplies(guard);
  const movable = input.nodes.filter((_, index) => blocks[index] === undefined);
  const windows = packWindows(movable, (node) => [place, ...takenBy(node)]);
  const stuck = input.nodes.filter((_, index) => blocks[index] !== undefined);
  const block = blocks.find((found) => found !== undefined);
  return { windows, stuck, block, reason: block === undefined ? undefined : explainBlock(block) };
}

/** What a node takes with it: a target of each Service that it serves, in its zone too where that has a floor, and pods of budgets. */
function openSupplies(guard: Guard): (node: NodeRef) => readonly Taking[] {
  const targets = onceFor(({ targets: has, floor }: CountedService) => openSupply(has - floor.targets));
  const zones = onceFor(
    ({ perZone, floor }: CountedService) =>
      new Map(
        Object.entries(floor.perZone).map(([zone, needs]) => [zone, openSupply((perZone.get(zone) ?? 0) - needs)]),
      ),
  );
  const budgets = onceFor(({ has, needs }: CountedBudget) => openSupply(has - needs));
  return (node) => [
    ...guard.servedBy(node).flatMap((service) => {
      const zone = zones(service).get(service.look.serving.get(node.name)?.zone ?? node.zone);
      return [targets(service), ...(zone === undefined ? [] : [zone])].map((from) => ({ from, amount: 1 }));
    }),
    ...guard.chargedBy(node).map((budget) => ({ from: budgets(budget), amount: budget.takenWith.get(node.name) ?? 0 })),
  ];
}

/** The guard when nothing is missing, nobody has anything to make up for, and every new node is there: those of policy Cluster serve. */
function openPerfectGuard({ policy, baselines, nodes }: WindowsInput, facts: ServingFacts): Guard {
  const guard = openGuard({ facts, policy, baselines, inFlight: [], waiting: nodes });
  const old = new Set(nodes.map((node) => node.name));
  for (const service of guard.services) {
    service.lacking = undefined;
    if (service.look.service.externalTrafficPolicy === 'Local') continue;
    for (const { name, zone } of service.look.serving.values()) {
      if (!old.has(name)) continue;
      service.targets += 1;
      service.perZone.set(zone, (service.perZone.get(zone) ?? 0) + 1);
    }
  }
  return guard;
}
