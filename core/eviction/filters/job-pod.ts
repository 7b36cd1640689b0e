import type { PodFilter } from './filter.ts';

/** Lets pods of Jobs run to their end when the policy says `jobs: wait`. */
export const jobPod: PodFilter = (pod, { drain }) =>
  pod.ownerKind === 'Job' && drain.jobs === 'wait'
    ? { outcome: 'complete', reason: 'it belongs to a Job, and spec.drain.jobs waits for its end' }
    : undefined;
