import { indexOf } from '../model/cluster-index.ts';
import type { NodeRef } from '../model/node.ts';
import type { ReleaseContext } from './choose-releases.ts';
import { decideEligibility } from './eligibility.ts';
import type { HandOverContext } from './rules/rule.ts';
import { countReleased, mostReleased, workloadOf } from './surplus.ts';

/** Who may be handed over together. */
export interface WaveQuestion extends ReleaseContext {
  /** Nodes that are to go, in their order. */
  readonly waiting: readonly NodeRef[];
  /** The most nodes that may be on their way out together. */
  readonly mostNodes: number;
}

/**
 * Chooses the nodes whose pods are handed over together: as many as the workloads on them allow to have pods beyond their replicas. The first
 * always goes: what exceeds its surplus there is evicted within its budget. A pod that can't be handed over holds no node back; the
 * guard decides about that when the node steps out.
 */
export function chooseWave(question: WaveQuestion): readonly NodeRef[] {
  const { cluster, waiting, mostNodes, surplusOf } = question;
  const taken = new Map(countReleased(cluster));
  const wave: NodeRef[] = [];
  for (const node of waiting) {
    if (wave.length >= mostNodes) break;
    const needs = countEligible(node, question);
    const fits = [...needs.values()].every(
      ({ workload, count }) =>
        (taken.get(workload.key) ?? 0) + count <= mostReleased(workload, surplusOf(workload.key)),
    );
    if (!fits && wave.length > 0) continue;
    for (const [key, { count }] of needs) taken.set(key, (taken.get(key) ?? 0) + count);
    wave.push(node);
  }
  return wave;
}

function countEligible({ name }: NodeRef, context: HandOverContext) {
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
