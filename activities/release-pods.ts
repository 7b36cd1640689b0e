import { NodeferryError } from '../core/model/problem.ts';
import type { AwaitedWorkload } from '../core/pod-surge/late-workloads.ts';
import type { PodSurgeRound } from '../core/pod-surge/pod-surge-round.ts';
import { decideSwaps, type Swap, type SwapQuestion } from '../core/pod-surge/swap.ts';
import { severalAtATime } from '../operations/several-at-a-time.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';
import { createAdoption } from './adoption.ts';
import { throwIfCancelled } from './polling.ts';

/** Releases pods; returns the workloads whose pods an admission webhook or policy does not let it release. */
export async function releasePods(
  acting: PodActions,
  pods: PodSurgeRound['release'],
  run: string,
): Promise<readonly AwaitedWorkload[]> {
  const denied = new Map<string, AwaitedWorkload>();
  await severalAtATime(pods, async ({ pod, from }) => {
    const { workload } = from;
    if (denied.has(workload)) return;
    throwIfCancelled();
    try {
      await acting.release(pod, from, run);
    } catch (error) {
      if (!(error instanceof NodeferryError) || error.problem.code !== 'AdmissionDenied') throw error;
      denied.set(workload, { workload, kind: 'hopeless', reason: error.problem.message });
    }
  });
  return [...denied.values()];
}

/** Releases pods of nodes that leave in exchange for released ones that are adopted. Returns whether there were any. */
export async function swapPods(acting: PodActions, question: SwapQuestion): Promise<boolean> {
  const { cluster: facts, run, leaving } = question;
  await createAdoption(acting).adoptNow(facts, run, { leaving });
  const swaps = decideSwaps(question);
  await executeSwaps(acting, swaps, run);
  return swaps.length > 0;
}

/** Executes swaps of pods; each is safe to repeat. */
export async function executeSwaps(acting: PodActions, swaps: readonly Swap[], run: string): Promise<void> {
  for (const { keeps, pairs } of swaps) {
    for (const pod of keeps) await acting.raiseDeletionCost(pod, run);
    for (const { release, adopt } of pairs) {
      throwIfCancelled();
      const outcome = await acting.release(release.pod, release.from, run);
      if (outcome === 'done') await acting.adopt(adopt, run);
    }
  }
}
