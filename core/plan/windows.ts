import type { ServiceBaseline } from '../guard/baseline.ts';
import { explainBlock, type StepOutBlock } from '../guard/block.ts';
import { type Guard, openGuard } from '../guard/guard.ts';
import type { NodeRef } from '../model/node.ts';
import type { ServingFacts } from '../model/serving.ts';
import type { Policy } from '../policy/policy.ts';
import { isEnabled } from '../waits/formulas.ts';
import { perfectFacts } from './perfect-facts.ts';

/** The nodes to replace and what guards them. */
export interface WindowsInput {
  readonly facts: ServingFacts;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  /** Nodes to replace, in order. */
  readonly nodes: readonly NodeRef[];
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
 * nothing with it that its replacement does not give; under Local a window's figures come back with its end.
 */
export function simulateWindows(input: WindowsInput): Windows {
  const enabled = isEnabled(input.policy, 'capacity-guard');
  const guard = enabled ? openPerfectGuard(input) : undefined;
  let waiting = input.nodes;
  const windows: (readonly NodeRef[])[] = [];
  while (waiting.length > 0) {
    const { window, left, block } = fillWindow(waiting, guard, input.policy.guard.maxInFlight);
    if (window.length === 0)
      return { windows, stuck: waiting, block, reason: block === undefined ? undefined : explainBlock(block) };
    for (const node of window) guard?.giveBack(node);
    windows.push(window);
    waiting = left;
  }
  return { windows, stuck: [], block: undefined, reason: undefined };
}

function fillWindow(waiting: readonly NodeRef[], guard: Guard | undefined, most: number) {
  const window: NodeRef[] = [];
  const left: NodeRef[] = [];
  let first: StepOutBlock | undefined;
  for (const node of waiting) {
    const isFull = window.length >= most;
    const block = isFull ? undefined : guard?.findBlock(node);
    if (isFull || (block !== undefined && block.limit !== 'best')) {
      left.push(node);
      first ??= block;
    } else {
      guard?.take(node);
      window.push(node);
    }
  }
  return { window, left, block: first };
}

/** The guard when nothing is missing and every new node is there: those of policy Cluster serve already. */
function openPerfectGuard({ facts, policy, baselines, nodes }: WindowsInput): Guard {
  const guard = openGuard({ facts: perfectFacts(facts), policy, baselines, inFlight: [], waiting: nodes });
  const old = new Set(nodes.map((node) => node.name));
  for (const service of guard.services) {
    if (service.look.service.externalTrafficPolicy === 'Local') continue;
    for (const { name, zone } of service.look.serving.values()) {
      if (!old.has(name)) continue;
      service.targets += 1;
      service.perZone.set(zone, (service.perZone.get(zone) ?? 0) + 1);
    }
  }
  return guard;
}
