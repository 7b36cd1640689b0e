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
  readonly endpoints: readonly EndpointFacts[];
}
