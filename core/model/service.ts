/** One endpoint of a Service, from its EndpointSlices. */
export interface EndpointFacts {
  /** Pod behind it, when there is one. */
  readonly podUid: string | undefined;
  readonly podName: string | undefined;
  readonly node: string | undefined;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

/** What the cluster says of one Service that can be reached over nodes or directly. */
export interface ServiceFacts {
  /** `namespace/name`. */
  readonly key: string;
  readonly type: 'LoadBalancer' | 'NodePort' | 'ClusterIP';
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
  readonly internalTrafficPolicy: 'Local' | 'Cluster';
  readonly selector: Readonly<Record<string, string>>;
  /** Port of kube-proxy's per-Service health check, policy Local only; 0 when there is none. */
  readonly healthCheckNodePort: number;
  readonly nodePorts: readonly number[];
  /** Hostnames (or addresses) that the cloud controller wrote to `status.loadBalancer.ingress`. */
  readonly hostnames: readonly string[];
  readonly publishNotReadyAddresses: boolean;
  readonly endpoints: readonly EndpointFacts[];
}
