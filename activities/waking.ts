import type { RefusedWorkload } from '../core/waits/refused.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Ports } from '../ports/ports.ts';
import type { Fence } from './fence.ts';

/** Time between two attempts for one workload, ms: each costs the API server a rejection and an event. */
const wakeIntervalMs = 10_000;

/** Makes the ReplicaSets of workloads whose pods were refused retry, for a run. */
export type Wake = (
  refused: readonly RefusedWorkload[],
  acting: { readonly run: string; readonly fence: Pick<Fence, 'check'> },
) => Promise<void>;

/** Creates one for all steps of a worker: however many nodes wait for a workload, it is woken only once per interval. */
export function createWaking({ clock, cluster }: Pick<Ports<Actions>, 'clock' | 'cluster'>): Wake {
  const wokenAt = new Map<string, number>();
  return async (refused, { run, fence }) => {
    const acting = cluster.guarded(fence.check);
    for (const { workload, wake } of refused) {
      const now = clock.now();
      if (wake === undefined || now - (wokenAt.get(workload) ?? Number.NEGATIVE_INFINITY) < wakeIntervalMs) continue;
      wokenAt.set(workload, now);
      await acting.wakeOwner(wake, run);
    }
  };
}
