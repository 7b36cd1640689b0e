import type { V1Pod } from '@kubernetes/client-node';

import { keepFromPruners, returnToPruners } from '../../core/pod-surge/keep-from-pruners.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import { type ChangeAccess, changeObject, type Decision, deleteObject } from './change.ts';
import { trialRun, tryPatches } from './dry-run.ts';
import {
  parseReleasedMark,
  parseRemovedLabels,
  releasedAnnotation,
  removedLabelsAnnotation,
} from './ownership-marks.ts';

/** The operations on pods, without eviction. */
type PodOperations = Pick<Cluster, 'removeEndpoints' | 'tryRemoveEndpoints' | 'restoreEndpoints' | 'deletePod'>;

/** Creates the operations on pods. */
export function podOperations(access: ChangeAccess): PodOperations {
  return {
    removeEndpoints: (pod, removeLabels, run) =>
      changeObject<V1Pod, 'done'>(access, 'pods', pod, (object) => decideRemoveEndpoints(object, removeLabels, run)),
    tryRemoveEndpoints: (pod, removeLabels) =>
      tryPatches(access.connection, pod, (object) => {
        const { patch } = decideRemoveEndpoints(object, removeLabels, trialRun);
        return patch?.metadata === undefined ? [] : [patch.metadata];
      }),
    restoreEndpoints: (pod, run) =>
      changeObject<V1Pod, 'done' | 'not-ours'>(access, 'pods', pod, (object) => decideRestoreEndpoints(object, run)),
    deletePod: (pod) => deleteObject(access, 'pods', pod),
  };
}

/**
 * Labels and annotations change in one patch, so that a run that ends in between still finds what it has to restore. A pod without a label of its
 * ReplicaSet or DaemonSet has no owner, so pruners are kept from it until it is evicted or restored.
 */
function decideRemoveEndpoints(pod: V1Pod, removeLabels: readonly string[], run: string): Decision<'done'> {
  const { labels = {}, annotations = {} } = pod.metadata ?? {};
  const mark = parseRemovedLabels(annotations[removedLabelsAnnotation]);
  const present = removeLabels.filter((key) => labels[key] !== undefined);
  if (present.length === 0 && mark?.by === run) return { outcome: 'done' };
  const removed = Object.fromEntries(present.map((key) => [key, labels[key]]));
  // The annotation of an earlier run that could not clean up is taken over, with the labels that it removed.
  const originalLabels = { ...mark?.originalLabels, ...removed };
  const daemonSet = mark?.daemonSet ?? daemonSetOf(pod);
  const known = mark?.annotationsBefore ?? parseReleasedMark(annotations[releasedAnnotation])?.annotationsBefore;
  const { set, before } = keepFromPruners(annotations, known ?? {});
  const next = JSON.stringify({ by: run, originalLabels, daemonSet, annotationsBefore: before });
  return {
    outcome: 'done',
    patch: {
      metadata: {
        labels: Object.fromEntries(present.map((key) => [key, null])),
        annotations: { ...set, [removedLabelsAnnotation]: next },
      },
    },
  };
}

/** Its controller releases the pod as soon as its labels are removed; from then on only the annotation says which one it was. */
function daemonSetOf({ metadata }: V1Pod): string | undefined {
  return metadata?.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'DaemonSet')?.name;
}

function decideRestoreEndpoints(pod: V1Pod, run: string): Decision<'done' | 'not-ours'> {
  const { labels = {}, annotations = {} } = pod.metadata ?? {};
  const mark = parseRemovedLabels(annotations[removedLabelsAnnotation]);
  if (mark?.by !== run) return { outcome: 'not-ours' };
  // A label that somebody has set since stays as it is.
  const missing = Object.entries(mark.originalLabels).filter(([key]) => labels[key] === undefined);
  // A released pod still has no owner: its adoption returns it to pruners.
  const isReleased = parseReleasedMark(annotations[releasedAnnotation])?.annotationsBefore !== undefined;
  const returned = isReleased ? {} : returnToPruners(annotations, mark.annotationsBefore ?? {});
  return {
    outcome: 'done',
    patch: {
      metadata: {
        labels: Object.fromEntries(missing),
        annotations: { ...returned, [removedLabelsAnnotation]: null },
      },
    },
  };
}
