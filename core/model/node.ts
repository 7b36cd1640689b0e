/** A taint on a node, in the form of Kubernetes. */
export interface TaintFacts {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** Identifies a node in plans, exclusions, rollback lists and reports. */
export interface NodeRef {
  readonly name: string;
  /** UID of the Node object. A node with the same name and another UID is another node. */
  readonly uid: string;
  /** ID of the cloud instance, e.g. `i-0abc…`, from `spec.providerID`. */
  readonly instanceId: string;
  /** Availability zone, from `topology.kubernetes.io/zone`. */
  readonly zone: string;
}

/** Labels that a provider sets on the nodes of a pool, and whose values no replacement of them has. */
export interface PoolLabels {
  /** Key of the label with the name of the pool. */
  readonly name: string;
  /** Keys of others, such as the image of the nodes. */
  readonly others: readonly string[];
}

/** What the API server reports about one node. */
export interface NodeFacts extends NodeRef {
  /** Name of the node pool. Undefined for a node that belongs to none. */
  readonly pool: string | undefined;
  /** Labels that say which pool it belongs to. Absent for a node that belongs to none. */
  readonly poolLabels?: PoolLabels;
  /** True for a node that was made for one pod. It has no instance that could be a target of a load balancer. */
  readonly madeForOnePod?: boolean;
  /** `spec.providerID`: the cloud of its instance, and the instance there. Absent for a node that has none yet. */
  readonly providerId?: string;
  readonly kubeletVersion: string;
  readonly ready: boolean;
  /** Since when (epoch ms) its kubelet has not reported (Ready is Unknown). Absent while the kubelet reports. */
  readonly unknownSince?: number;
  readonly cordoned: boolean;
  /** True while it has the label `node.kubernetes.io/exclude-from-external-load-balancers`, unless the label's value means no. */
  readonly excluded: boolean;
  /** True while it has that label with a value that means no. Controllers that only check whether the label exists exclude it all the same. */
  readonly deniesExclusion?: boolean;
  /** True when it has the annotation `karpenter.sh/do-not-disrupt: "true"`. */
  readonly doNotDisrupt?: boolean;
  /** The cluster autoscaler must not remove it (annotation `cluster-autoscaler.kubernetes.io/scale-down-disabled: "true"`). */
  readonly scaleDownDisabled?: true;
  /** The changes on the node that nodeferry made. A change that somebody else made is absent. */
  readonly ownership: OwnedBy;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly TaintFacts[];
}

/** The changes on a node that nodeferry made. Each value is the run that made the change. */
export interface OwnedBy {
  readonly cordonedBy?: string;
  readonly excludedBy?: string;
  readonly disruptedBy?: string;
  readonly fence?: FencingToken;
}

/**
 * Identifies who acts on a node or on a whole pool: one attempt of one step of a run. Of two tokens the later one is valid, and the attempt
 * with the earlier one must not act any more.
 */
export interface FencingToken {
  readonly run: string;
  /** How often the run has excluded the node. 0 for steps of the pool. */
  readonly round: number;
  /** Number of steps in that round. For steps of the pool, a number that increases with each step. */
  readonly step: number;
  readonly attempt: number;
}

/** Attempt number of restoring a node: any of its attempts may act, and all of them supersede the steps that they undo. */
export const attemptOfRestore = Number.MAX_SAFE_INTEGER;
