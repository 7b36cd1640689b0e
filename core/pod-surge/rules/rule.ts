import type { PodFacts } from '../../model/pod.ts';
import type { ClusterFacts } from '../../model/serving.ts';
import type { Policy } from '../../policy/policy.ts';

/** Why a pod's replacement can't start beside it. */
export interface PodSurgeRefusal {
  readonly reason: string;
  /** What would let it; absent where nothing would. */
  readonly hint?: string;
  /** It is a matter of time: ask again. */
  readonly passes?: boolean;
}

/** What a rule knows besides the pod. */
export interface PodSurgeContext {
  readonly cluster: ClusterFacts;
  readonly policy: Policy;
  /** Claims (`namespace/name`) whose volumes any number of nodes may mount. */
  readonly sharedVolumeClaims: ReadonlySet<string>;
  /** What the API server said to the trial of releasing a pod, by the key of its workload; those that it would let go are not there. */
  readonly denials?: ReadonlyMap<string, string>;
}

/** A rule answers for the pods that it knows to stand in the way of their replacements, and is silent about others. */
export type PodSurgeRule = (pod: PodFacts, context: PodSurgeContext) => PodSurgeRefusal | undefined;
