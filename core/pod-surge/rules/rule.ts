import type { PodFacts } from '../../model/pod.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import type { Policy } from '../../policy/policy.ts';

/** Why the replacement of a pod cannot start before the pod leaves. */
export interface PodSurgeRefusal {
  readonly reason: string;
  /** What would make it possible. Absent when nothing would. */
  readonly hint?: string;
  /** The reason is temporary. Decide again later. */
  readonly passes?: boolean;
  /** Admission has denied it in a dry run. */
  readonly denied?: true;
}

/** What a rule knows in addition to the pod. */
export interface PodSurgeContext {
  readonly cluster: ClusterFacts;
  readonly policy: Policy;
  /** PersistentVolumeClaims (`namespace/name`) whose volumes several nodes may mount at the same time. */
  readonly sharedVolumeClaims: ReadonlySet<string>;
  /** How the API server rejected a dry run of releasing a pod, by workload key. Workloads whose pods can be released have no entry. */
  readonly denials?: ReadonlyMap<string, string>;
}

/** A rule returns a refusal for the pods that it concerns, and undefined for all others. */
export type PodSurgeRule = (pod: PodFacts, context: PodSurgeContext) => PodSurgeRefusal | undefined;
