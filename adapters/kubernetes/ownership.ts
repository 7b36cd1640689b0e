import type { V1Pod } from '@kubernetes/client-node';
import type { ReleasedFrom } from '../../core/model/pod.ts';
import { type AnnotationsBefore, keepFromPruners, returnToPruners } from '../../core/pod-surge/keep-from-pruners.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import { type ChangeAccess, changeObject, type Decision } from './change.ts';
import { trialRun, tryPatches } from './dry-run.ts';
import {
  deletionCostAnnotation,
  parseRaisedCostMark,
  parseReleasedMark,
  parseRemovedLabels,
  raisedCostAnnotation,
  releasedAnnotation,
  removedLabelsAnnotation,
} from './ownership-marks.ts';

/** The operations on the relation between ReplicaSets and their pods. */
type OwnershipOperations = Pick<
  Cluster,
  'release' | 'tryRelease' | 'adopt' | 'raiseDeletionCost' | 'restoreDeletionCost' | 'wakeOwner'
>;

/** Deletion costs are 32-bit integers (Kubernetes docs, "ReplicaSet", Pod deletion cost). */
const highestCost = String(2 ** 31 - 1);

/**
 * Creates the operations. A label and the annotation that records it change in one patch, so that a run that ends in between still finds what it did.
 */
export function ownershipOperations(access: ChangeAccess): OwnershipOperations {
  return {
    release: (pod, from, run) =>
      changeObject<V1Pod, 'done' | 'not-owned' | 'gone'>(access, 'pods', pod, (object) =>
        decideRelease(object, from, run),
      ),
    tryRelease: (pod, from) => tryPatches(access.connection, pod, (object) => trialsOfRelease(object, from)),
    adopt: (pod, run) =>
      changeObject<V1Pod, 'done' | 'not-ours' | 'gone'>(access, 'pods', pod, (object) => decideAdopt(object, run)),
    raiseDeletionCost: (pod, run) =>
      changeObject<V1Pod, 'done' | 'gone'>(access, 'pods', pod, (object) => decideRaise(object, run)),
    restoreDeletionCost: (pod, run) =>
      changeObject<V1Pod, 'done' | 'not-ours'>(access, 'pods', pod, (object) => decideRestore(object, run)),
    wakeOwner: async (pod, run) => {
      for (const decide of [decideTouch, decideUntouch])
        await changeObject<V1Pod, 'done' | 'not-ours'>(access, 'pods', pod, (object) => decide(object, run));
    },
  };
}

/** The patch of a release, and the same without the owner, which is what the ReplicaSet controller makes of it. */
function trialsOfRelease(pod: V1Pod, from: ReleasedFrom): readonly object[] {
  const metadata = decideRelease(pod, from, trialRun).patch?.metadata;
  return metadata === undefined ? [] : [metadata, { ...metadata, ownerReferences: null }];
}

function decideRelease(
  { metadata }: V1Pod,
  { label, value, replicaSet, workload, served }: ReleasedFrom,
  run: string,
): Decision<'done' | 'not-owned' | 'gone'> {
  if (metadata?.deletionTimestamp !== undefined) return { outcome: 'gone' };
  const mark = parseReleasedMark(metadata?.annotations?.[releasedAnnotation]);
  const isReleased = mark !== undefined && metadata?.labels?.[mark.label] === undefined;
  if (isReleased && mark.by === run) return { outcome: 'done' };
  // A pod that an earlier run released and could not return is taken over as it is.
  if (isReleased) return { outcome: 'done', patch: annotate(releasedAnnotation, { ...mark, by: run }) };
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid !== replicaSet.uid || metadata?.labels?.[label] !== value) return { outcome: 'not-owned' };
  const known = mark?.annotationsBefore ?? keptSinceRemoval(metadata);
  const { set, before } = keepFromPruners(metadata.annotations ?? {}, known ?? {});
  const { metadata: marked } = annotate(releasedAnnotation, {
    by: run,
    label,
    value,
    replicaSet,
    workload,
    served,
    annotationsBefore: before,
  });
  const annotations = { ...set, ...marked.annotations };
  return { outcome: 'done', patch: { metadata: { annotations, labels: { [label]: null } } } };
}

function decideAdopt({ metadata }: V1Pod, run: string): Decision<'done' | 'not-ours' | 'gone'> {
  const mark = parseReleasedMark(metadata?.annotations?.[releasedAnnotation]);
  if (mark?.by !== run) return { outcome: 'not-ours' };
  if (metadata?.deletionTimestamp !== undefined) return { outcome: 'gone' };
  const { label, value, annotationsBefore } = mark;
  // A label that somebody has set since stays as it is.
  const labels = metadata?.labels?.[label] === undefined ? { [label]: value } : {};
  // A pod that is still removed from endpoints may not match its ReplicaSet yet: its restoration returns it to pruners.
  const isRemoved = keptSinceRemoval(metadata) !== undefined;
  const restored = isRemoved ? {} : returnToPruners(metadata?.annotations ?? {}, annotationsBefore ?? {});
  return { outcome: 'done', patch: { metadata: { labels, annotations: { ...restored, [releasedAnnotation]: null } } } };
}

/** The previous values of the annotations that keep pruners from a pod since it was removed from endpoints; undefined when it was not. */
function keptSinceRemoval(metadata: V1Pod['metadata']): AnnotationsBefore | undefined {
  return parseRemovedLabels(metadata?.annotations?.[removedLabelsAnnotation])?.annotationsBefore;
}

function decideRaise({ metadata }: V1Pod, run: string): Decision<'done' | 'gone'> {
  if (metadata?.deletionTimestamp !== undefined) return { outcome: 'gone' };
  const cost = metadata?.annotations?.[deletionCostAnnotation];
  const mark = parseRaisedCostMark(metadata?.annotations?.[raisedCostAnnotation]);
  if (mark?.by === run && cost === highestCost) return { outcome: 'done' };
  const before = mark !== undefined && cost === highestCost ? mark.before : (cost ?? null);
  const { metadata: marked } = annotate(raisedCostAnnotation, { by: run, before });
  const annotations = { ...marked.annotations, [deletionCostAnnotation]: highestCost };
  return { outcome: 'done', patch: { metadata: { annotations } } };
}

function decideRestore({ metadata }: V1Pod, run: string): Decision<'done' | 'not-ours'> {
  const mark = parseRaisedCostMark(metadata?.annotations?.[raisedCostAnnotation]);
  if (mark?.by !== run) return { outcome: 'not-ours' };
  // A cost that somebody has set since stays as it is.
  const isMine = metadata?.annotations?.[deletionCostAnnotation] === highestCost;
  const restored = isMine ? { [deletionCostAnnotation]: mark.before } : {};
  return { outcome: 'done', patch: { metadata: { annotations: { ...restored, [raisedCostAnnotation]: null } } } };
}

/**
 * Only the annotation is set and removed, not the cost, so that nothing changes its meaning meanwhile. If a worker dies in between, the annotation is
 * left. It then looks like one whose cost somebody has changed since, and is removed with those. A raised cost is not touched.
 */
function decideTouch({ metadata }: V1Pod, run: string): Decision<'done' | 'not-ours'> {
  if (metadata?.annotations?.[raisedCostAnnotation] !== undefined) return { outcome: 'not-ours' };
  const before = metadata?.annotations?.[deletionCostAnnotation] ?? null;
  return { outcome: 'done', patch: annotate(raisedCostAnnotation, { by: run, before }) };
}

function decideUntouch({ metadata }: V1Pod, run: string): Decision<'done' | 'not-ours'> {
  const annotations = metadata?.annotations ?? {};
  const isBare = annotations[deletionCostAnnotation] !== highestCost;
  if (!isBare || parseRaisedCostMark(annotations[raisedCostAnnotation])?.by !== run) return { outcome: 'not-ours' };
  return { outcome: 'done', patch: { metadata: { annotations: { [raisedCostAnnotation]: null } } } };
}

function annotate(annotation: string, mark: object) {
  return { metadata: { annotations: { [annotation]: JSON.stringify(mark) } } };
}
