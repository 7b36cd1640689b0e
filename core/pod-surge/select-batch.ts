import { indexOf, onceFor } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { decideEligibility } from './eligibility.ts';
import { alternateZones } from './even-releases.ts';
import type { PodSurgeContext } from './rules/rule.ts';
import { countReleased, maxReleased, workloadOf } from './surge-limit.ts';

/** What decides which nodes may be surged together. */
export interface BatchQuestion extends PodSurgeContext {
  /** Nodes that have to leave, in order. */
  readonly waiting: readonly NodeRef[];
  /** The most nodes that may be in progress at the same time. */
  readonly maxNodes: number;
}

/**
 * Selects the nodes whose pods are surged together: as many as the surge limits of their workloads allow. The first node is always selected:
 * pods on it in excess of the limit are evicted within their budgets. A pod that cannot be surged does not keep its node out of the batch. The
 * guard decides about it when the node is to be excluded.
 */
export function selectBatch(question: BatchQuestion): readonly NodeRef[] {
  return choose(alternateZones(question.waiting, question.cluster), question, (node) => countEligible(node, question));
}

/** Selects one batch after another, each as if the previous one had left. */
export function selectBatches(question: BatchQuestion): readonly (readonly NodeRef[])[] {
  const needsOf = onceFor((node: NodeRef) => countEligible(node, question));
  const batches: (readonly NodeRef[])[] = [];
  for (let waiting = alternateZones(question.waiting, question.cluster); waiting.length > 0; ) {
    const batch = choose(waiting, question, needsOf);
    batches.push(batch);
    const gone = new Set(batch);
    waiting = waiting.filter((node) => !gone.has(node));
  }
  return batches;
}

function choose(
  waiting: readonly NodeRef[],
  question: BatchQuestion,
  needsOf: (node: NodeRef) => Needs,
): readonly NodeRef[] {
  const taken = new Map(countReleased(question.cluster));
  const batch: NodeRef[] = [];
  for (const node of waiting) {
    if (batch.length >= question.maxNodes) break;
    const needs = needsOf(node);
    if (batch.length > 0 && !fits(needs, taken, question)) continue;
    for (const [key, { count }] of needs) taken.set(key, (taken.get(key) ?? 0) + count);
    batch.push(node);
  }
  return batch;
}

/** Whether all eligible pods on a node can be surged together, regardless of other nodes. */
export function fitsAlone(node: NodeRef, context: PodSurgeContext): boolean {
  return fits(countEligible(node, context), new Map(), context);
}

/** Pods that can be surged, by workload. */
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
