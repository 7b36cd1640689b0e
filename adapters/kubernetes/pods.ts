import type { V1Pod } from '@kubernetes/client-node';

import type { Cluster } from '../../ports/cluster/cluster.ts';
import { type ChangeAccess, changeObject, type Decision, deleteObject } from './change.ts';
import { parseRemovedLabels, removedLabelsAnnotation } from './ownership-marks.ts';

/** The operations on pods, without eviction. */
type PodOperations = Pick<Cluster, 'removeEndpoints' | 'restoreEndpoints' | 'deletePod'>;

/** Creates the operations on pods. */
export function podOperations(access: ChangeAccess): PodOperations {
  return {
    removeEndpoints: (pod, removeLabels, run) =>
      changeObject<V1Pod, 'done'>(access, 'pods', pod, (object) => decideRemoveEndpoints(object, removeLabels, run)),
    restoreEndpoints: (pod, run) =>
      changeObject<V1Pod, 'done' | 'not-ours'>(access, 'pods', pod, (object) => decideRestoreEndpoints(object, run)),
    deletePod: (pod) => deleteObject(access, 'pods', pod),
  };
}

/** Labels and annotation change in one patch, so that a run that ends in between still finds what it has to restore. */
function decideRemoveEndpoints(pod: V1Pod, removeLabels: readonly string[], run: string): Decision<'done'> {
  const labels = pod.metadata?.labels ?? {};
  const mark = parseRemovedLabels(pod.metadata?.annotations?.[removedLabelsAnnotation]);
  const present = removeLabels.filter((key) => labels[key] !== undefined);
  if (present.length === 0 && mark?.by === run) return { outcome: 'done' };
  const removed = Object.fromEntries(present.map((key) => [key, labels[key]]));
  // The annotation of an earlier run that could not clean up is taken over, with the labels that it removed.
  const originalLabels = { ...mark?.originalLabels, ...removed };
  const daemonSet = mark?.daemonSet ?? daemonSetOf(pod);
  return {
    outcome: 'done',
    patch: {
      metadata: {
        labels: Object.fromEntries(present.map((key) => [key, null])),
        annotations: { [removedLabelsAnnotation]: JSON.stringify({ by: run, originalLabels, daemonSet }) },
      },
    },
  };
}

/** Its controller releases the pod as soon as its labels are removed; from then on only the annotation says which one it was. */
function daemonSetOf({ metadata }: V1Pod): string | undefined {
  return metadata?.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'DaemonSet')?.name;
}

function decideRestoreEndpoints(pod: V1Pod, run: string): Decision<'done' | 'not-ours'> {
  const mark = parseRemovedLabels(pod.metadata?.annotations?.[removedLabelsAnnotation]);
  if (mark?.by !== run) return { outcome: 'not-ours' };
  const labels = pod.metadata?.labels ?? {};
  // A label that somebody has set since stays as it is.
  const missing = Object.entries(mark.originalLabels).filter(([key]) => labels[key] === undefined);
  return {
    outcome: 'done',
    patch: { metadata: { labels: Object.fromEntries(missing), annotations: { [removedLabelsAnnotation]: null } } },
  };
}
