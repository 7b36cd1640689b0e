/** Amounts of resources by their names, as Kubernetes spells them (`cpu`, `requests.memory`, `pods`): in cores, bytes or pieces. */
export type Amounts = Readonly<Record<string, number>>;

/** What the pods of a namespace may have together. */
export interface QuotaFacts {
  /** Kind and name, e.g. `ResourceQuota default/pods`. */
  readonly key: string;
  readonly namespace: string;
  readonly hard: Amounts;
  /** Which pods it counts: those that all of these match; absent where it counts every pod. */
  readonly scopes?: readonly QuotaScope[];
}

/** Pods that a quota counts (Kubernetes docs, "Resource Quotas", Quota Scopes). */
export interface QuotaScope {
  readonly name: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

/** What each pod of a namespace may have, and gets where it does not say. */
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
  /** The most times that a limit may be its request. */
  readonly ratio: Amounts;
  readonly defaultRequests: Amounts;
  readonly defaultLimits: Amounts;
}

/** What a container of a pod asks for. `init`: it runs before the others; `sidecar`: from then on; `overhead`: what its RuntimeClass adds. */
export interface ContainerNeeds {
  readonly kind: 'app' | 'init' | 'sidecar' | 'overhead';
  readonly requests: Amounts;
  readonly limits: Amounts;
}
