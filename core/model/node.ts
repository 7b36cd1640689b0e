/** A taint on a node, as Kubernetes spells it. */
export interface TaintFacts {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** The few words that name a node everywhere: in plans, grants, ledgers and reports. */
export interface NodeRef {
  readonly name: string;
  /** UID of the Node object; a node of the same name with another UID is another node. */
  readonly uid: string;
  /** Cloud machine behind the node, e.g. `i-0abc…`, taken from `spec.providerID`. */
  readonly instanceId: string;
  /** Availability zone, from `topology.kubernetes.io/zone`. */
  readonly zone: string;
}

/** What the cluster says of one node. */
export interface NodeFacts extends NodeRef {
  /** Name of the node pool, or undefined for a node that belongs to none. */
  readonly pool: string | undefined;
  readonly kubeletVersion: string;
  readonly ready: boolean;
  /** Epoch ms since when its kubelet has not been heard of (Ready is Unknown); absent while it is. */
  readonly unknownSince?: number;
  readonly cordoned: boolean;
  /** True while the label `node.kubernetes.io/exclude-from-external-load-balancers` takes it out of load balancers. */
  readonly excluded: boolean;
  /** Annotation `karpenter.sh/do-not-disrupt: "true"`: its owner asks to leave the node alone. */
  readonly doNotDisrupt?: boolean;
  /** Marks of ours on the node, by what they stand for; absent when the mark is somebody else's or not there. */
  readonly ownership: OwnedBy;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly TaintFacts[];
}

/** Which changes on a node are ours; the value is the run that made it. */
export interface OwnedBy {
  readonly cordonedBy?: string;
  readonly excludedBy?: string;
  readonly disruptedBy?: string;
  readonly fence?: FencingToken;
}

/**
 * Who acts on a node, or on a pool as a whole: one attempt of one step of a run. Of two the later one has it, and the other must not act
 * any more.
 */
export interface FencingToken {
  readonly run: string;
  /** How often the run has let the node step out; 0 for steps of the pool. */
  readonly round: number;
  /** Steps taken in that round; of steps of the pool, a figure that rises with each. */
  readonly step: number;
  readonly attempt: number;
}
