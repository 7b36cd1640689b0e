import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { decideEligibility } from './eligibility.ts';
import { byTurns } from './even-releases.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { countReleased, maxReleased, workloadOf } from './surge-limit.ts';

/** Who may be handed over together. */
export interface WaveQuestion extends PodSurgeContext {
  /** Nodes that are to go, in their order. */
  readonly waiting: readonly NodeRef[];
  /** The most nodes that may be on their way out together. */
  readonly maxNodes: number;
}

/**
 * Chooses the nodes whose pods are handed over together: as many as the workloads on them allow to have pods beyond their replicas. The first
 * always goes: what exceeds its surplus there is evicted within its budget. A pod that can't be handed over holds no node back; the
 * guard decides about that when the node steps out.
 */
export function selectBatch(question: WaveQuestion): readonly NodeRef[] {
  return choose(byTurns(question.waiting, question.cluster), question, (node) => countEligible(node, question));
}

/** Chooses wave after wave, each as if the one before had left. */
export function selectBatches(question: WaveQuestion): readonly (readonly NodeRef[])[] {
  const needsOf = onceFor((node: NodeRef) => countEligible(node, question));
  const waves: (readonly NodeRef[])[] = [];
  for (let waiting = byTurns(question.waiting, question.cluster); waiting.length > 0; ) {
    const wave = choose(waiting, question, needsOf);
    waves.push(wave);
    const gone = new Set(wave);
    waiting = waiting.filter((node) => !gone.has(node));
  }
  return waves;
}

function choose(
  waiting: readonly NodeRef[],
  question: WaveQuestion,
  needsOf: (node: NodeRef) => Needs,
): readonly NodeRef[] {
  const taken = new Map(countReleased(question.cluster));
  const wave: NodeRef[] = [];
  for (const node of waiting) {
    if (wave.length >= question.maxNodes) break;
    const needs = needsOf(node);
    if (wave.length > 0 && !fits(needs, taken, question)) continue;
    for (const [key, { count }] of needs) taken.set(key, (taken.get(key) ?? 0) + count);
    wave.push(node);
  }
  return wave;
}

/** Whether all pods on a node that can be handed over can be so together, whatever is on others. */
export function fitsAlone(node: NodeRef, context: PodSurgeContext): boolean {
  return fits(countEligible(node, context), new Map(), context);
}

/** Pods that can be handed over, by workload. */
type Needs = ReadonlyMap<string, { readonly workload: WorkloadFacts; readonly count: number }>;

function fits(needs: Needs, taken: ReadonlyMap<string, number>, context: PodSurgeContext): boolean {
  return [...needs.values()].every(
    ({ workload, count }) => (taken.get(workload.key) ?? 0) + count <= maxReleased(workload, context),
  );
}

function countEligible({ name }: NodeRef, context: PodSurgeContext): Needs {
  const eligible = indexOf(context.cluster)
    .podsOn(name)
    .filter((pod) => decideEligibility(pod, context).eligible)
    .flatMap((pod) => workloadOf(pod, context.cluster) ?? []);
  return new Map(
    [...Map.groupBy(eligible, ({ key }) => key)].flatMap(([key, [workload, ...others]]) =>
      workload === undefined ? [] : [[key, { workload, count: 1 + others.length }] as const],
    ),
  );
}
