/** One endpoint of a Service, from its EndpointSlices. */
export interface EndpointFacts {
  /** UID of its pod, if it has one. */
  readonly podUid: string | undefined;
  readonly podName: string | undefined;
  readonly node: string | undefined;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

/** Groups of pods of a Service that are targets of load balancers themselves, without a node in between, as objects of the cluster name them. */
export interface PodGroupsFacts {
  /** As their cloud calls them, e.g. ARNs. */
  readonly names: readonly string[];
  /** Objects that have its pods in groups of another account, which nobody here observes, e.g. `TargetGroupBinding default/web`. Absent where none has. */
  readonly inOtherAccounts?: readonly string[];
  /** Zones in which there are such groups. Empty where they are not told by zone. */
  readonly zones: readonly string[];
  /**
   * Their controller takes out all pods of a zone, healthy or not, once none of its nodes is a candidate: Ready, not excluded, and not announced to be
   * deleted.
   */
  readonly zonesNeedCandidate: boolean;
}

/** A load balancer that sends to a port of each node for a Service and is not its own: it was made for another object of the cluster. */
export interface NodePortBalancerFacts {
  /** That object, e.g. `Ingress default/web`. */
  readonly by: string;
  /** Names of its target groups for the Service. Empty where the object does not tell them: then nobody observes it. */
  readonly groups: readonly string[];
  /** How to have the pods of the Service as targets instead, in a sentence. */
  readonly hint: string;
}

/** What the API server reports about one Service. */
export interface ServiceFacts {
  /** `namespace/name`. */
  readonly key: string;
  readonly type: 'LoadBalancer' | 'NodePort' | 'ClusterIP';
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
  readonly internalTrafficPolicy: 'Local' | 'Cluster';
  readonly selector: Readonly<Record<string, string>>;
  /** Port of kube-proxy's health check for the Service, with policy Local only. 0 when there is none. */
  readonly healthCheckNodePort: number;
  readonly nodePorts: readonly number[];
  /** Hostnames or addresses in `status.loadBalancer.ingress`. */
  readonly hostnames: readonly string[];
  readonly publishNotReadyAddresses: boolean;
  /** The same client is sent to the same pod (`sessionAffinity: ClientIP`). */
  readonly clientAffinity?: true;
  /** One of its ports is for UDP. */
  readonly usesUdp?: true;
  /** Protocol of one of its ports whose connections usually stay open, e.g. `grpc`, as the port says. Absent when none says so. */
  readonly longLived?: string;
  /** Labels that a node must have to become a target of its load balancer. An empty value stands for any. Absent when it needs none. */
  readonly targetNodeLabels?: Readonly<Record<string, string>>;
  /** Its controller was not told to let connections end: its load balancer closes those of a node as soon as the node is taken out. */
  readonly cutsConnections?: true;
  /** The tool that writes it from a source of its own, e.g. `Helm`, as far as its labels and annotations say. */
  readonly writtenBy?: string;
  /** Absent when it has none. */
  readonly podGroups?: PodGroupsFacts;
  /** Absent where no object of the cluster tells of one. */
  readonly nodePortBalancers?: readonly NodePortBalancerFacts[];
  readonly endpoints: readonly EndpointFacts[];
}

/** Whether load balancers may send to it through nodes: its own, or one that was made for another object. */
export function mayHaveNodeTargets({
  type,
  nodePortBalancers,
}: Pick<ServiceFacts, 'type' | 'nodePortBalancers'>): boolean {
  return type === 'LoadBalancer' || nodePortBalancers !== undefined;
}
