import { isFinished } from '../../model/pod.ts';
import type { PodFilter } from './filter.ts';

/** Deletes finished pods: they serve nobody and no budget counts them (kubectl pkg/drain/filters.go). */
export const finishedPod: PodFilter = (pod) =>
  isFinished(pod) ? { outcome: 'delete-finished', reason: `it has ${pod.phase.toLowerCase()}` } : undefined;
