import { nextStep, type Run, runUntilDone } from './run.ts';
import { steps } from './steps.ts';

/** Returns released pods to their ReplicaSets. */
export async function adoptPods(run: Run): Promise<void> {
  await runUntilDone(run, 'released pods to be adopted', () => steps('adopt released pods').adoptPods(nextStep(run)));
}

/** Evicts released pods that no ReplicaSet can adopt, because their workload has been rolled out since. */
export async function evictReleased(run: Run): Promise<void> {
  await runUntilDone(run, 'released pods to leave', () =>
    steps('evict released pods').evictReleased({ ...nextStep(run), baselines: run.state.baselines }),
  );
}
