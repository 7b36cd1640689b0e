import type { FencingToken } from '../../core/model/node.ts';
import type { ReleasedFrom } from '../../core/model/pod.ts';
import type { AnnotationsBefore } from '../../core/pod-surge/keep-from-pruners.ts';

/** Annotation on a node: the run that cordoned it. */
export const cordonedByAnnotation = 'nodeferry.dev/cordoned-by';

/** Annotation on a node: the run that set the exclude label. */
export const excludedByAnnotation = 'nodeferry.dev/excluded-by';

/** Annotation on a node: the run that set the `disrupted` taint. */
export const disruptedByAnnotation = 'nodeferry.dev/disrupted-by';

/** Annotation on a node, or on the Lease of a pool: the attempt of a step that acts on it, as `run round.step.attempt`. */
export const fenceAnnotation = 'nodeferry.dev/fence';

/** Annotation on the Lease of a pool: name of the pool that replaces it. */
export const incomingPoolAnnotation = 'nodeferry.dev/incoming-pool';

/** Annotation on a pod that was removed from the endpoints of its Services: JSON of RemovedLabels. */
export const removedLabelsAnnotation = 'nodeferry.dev/removed-labels';

/** Annotation on a pod that was released from its ReplicaSet: JSON of a ReleasedFromMark. */
export const releasedAnnotation = 'nodeferry.dev/released';

/** What ReplicaSets compare when they choose which pods to delete (Kubernetes docs, "ReplicaSet", Pod deletion cost). */
export const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

/** Annotation on a pod whose deletion cost was raised: JSON of a RaisedCostMark. */
export const raisedCostAnnotation = 'nodeferry.dev/deletion-cost-raised';

/** Which run released a pod, and from what. */
export interface ReleasedFromMark extends ReleasedFrom {
  readonly by: string;
  /** The previous values of the annotations that keep pruners from deleting the pod. */
  readonly annotationsBefore?: AnnotationsBefore;
}

/** Which run raised a pod's deletion cost, and the previous cost; null when there was none. */
interface RaisedCostMark {
  readonly by: string;
  readonly before: string | null;
}

/** Which run removed a pod from its endpoints, and the labels that it removed for that. */
interface RemovedLabels {
  readonly by: string;
  readonly originalLabels: Readonly<Record<string, string>>;
  /** Name of its DaemonSet, which releases a pod whose labels it no longer selects. */
  readonly daemonSet?: string;
  /** The previous values of the annotations that keep pruners from deleting the pod. Older versions set none. */
  readonly annotationsBefore?: AnnotationsBefore;
}

/** A fencing token as text. */
export function formatToken({ run, round, step, attempt }: FencingToken): string {
  return `${run} ${round}.${step}.${attempt}`;
}

/** Reads a fencing token; undefined when there is none, or none of ours. */
export function parseToken(text: string | undefined): FencingToken | undefined {
  const [, run, ...numbers] = /^(\S+) (\d+)\.(\d+)\.(\d+)$/.exec(text ?? '') ?? [];
  const [round, step, attempt] = numbers.map(Number);
  if (run === undefined || round === undefined || step === undefined || attempt === undefined) return undefined;
  return { run, round, step, attempt };
}

/** Reads the annotation of a pod that was removed from endpoints; undefined when there is none, or none of ours. */
export function parseRemovedLabels(text: string | undefined): RemovedLabels | undefined {
  const { by, originalLabels, daemonSet, annotationsBefore } = parseMark<RemovedLabels>(text);
  if (typeof by !== 'string' || typeof originalLabels !== 'object' || originalLabels === null) return undefined;
  return {
    by,
    originalLabels,
    ...(typeof daemonSet === 'string' ? { daemonSet } : {}),
    ...(typeof annotationsBefore === 'object' && annotationsBefore !== null ? { annotationsBefore } : {}),
  };
}

/** Reads the annotation of a released pod; undefined when there is none, or none of ours. */
export function parseReleasedMark(text: string | undefined): ReleasedFromMark | undefined {
  const mark = parseMark<ReleasedFromMark>(text);
  const { by, label, value, replicaSet, workload, served, annotationsBefore } = mark;
  const texts: readonly unknown[] = [by, label, value, replicaSet?.name, replicaSet?.uid, workload];
  const isCounted = served === undefined || Number.isInteger(served);
  const isWhole =
    texts.every((one) => typeof one === 'string') && isCounted && typeof (annotationsBefore ?? {}) === 'object';
  return isWhole ? (mark as ReleasedFromMark) : undefined;
}

/** Reads the annotation of a pod whose deletion cost was raised; undefined when there is none, or none of ours. */
export function parseRaisedCostMark(text: string | undefined): RaisedCostMark | undefined {
  const { by, before } = parseMark<RaisedCostMark>(text);
  if (typeof by !== 'string' || (before !== null && typeof before !== 'string')) return undefined;
  return { by, before };
}

function parseMark<T>(text: string | undefined): Partial<T> {
  if (text === undefined) return {};
  try {
    return (JSON.parse(text) ?? {}) as Partial<T>;
  } catch {
    return {};
  }
}
