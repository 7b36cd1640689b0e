/** Amounts of resources by Kubernetes resource name (`cpu`, `requests.memory`, `pods`), in cores, bytes or a count. */
export type Amounts = Readonly<Record<string, number>>;

/** What all pods of a namespace together may use. */
export interface QuotaFacts {
  /** Kind and name, e.g. `ResourceQuota default/pods`. */
  readonly key: string;
  readonly namespace: string;
  readonly hard: Amounts;
  /** It counts the pods that match all of these. Absent when it counts every pod. */
  readonly scopes?: readonly QuotaScope[];
}

/** Pods that a quota counts (Kubernetes docs, "Resource Quotas", Quota Scopes). */
export interface QuotaScope {
  readonly name: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

/** What each pod of a namespace may request, and the defaults. */
export interface LimitRangeFacts {
  /** Kind and name, e.g. `LimitRange default/limits`. */
  readonly key: string;
  readonly namespace: string;
  readonly limits: readonly LimitFacts[];
}

/** One rule of a LimitRange, for each container or for a pod as a whole (Kubernetes API, LimitRangeItem). */
export interface LimitFacts {
  readonly of: 'Container' | 'Pod';
  readonly min: Amounts;
  readonly max: Amounts;
  /** The largest allowed ratio of a limit to its request. */
  readonly ratio: Amounts;
  readonly defaultRequests: Amounts;
  readonly defaultLimits: Amounts;
}

/**
 * Requests and limits of one container. `init` containers run before the others. A `sidecar` starts in their order, and keeps running.
 * `overhead` is what the RuntimeClass adds to the pod.
 */
export interface ContainerNeeds {
  readonly kind: 'app' | 'init' | 'sidecar' | 'overhead';
  readonly requests: Amounts;
  readonly limits: Amounts;
}
