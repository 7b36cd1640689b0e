/**
 * A Service whose load balancer cannot be observed, so that the run cannot tell when a node or a pod is deregistered from it: its own, where it is of type
 * LoadBalancer, or one that has its pods in a group of another account.
 * A Service is unsupported as a whole, even if some of its target groups can be observed.
 */
export interface UnsupportedServiceFacts {
  /** `namespace/name`. */
  readonly service: string;
  /**
   * `unknown-load-balancer`: no load balancer that can be read has its address. `not-managed`: no known controller deregisters nodes from
   * it. `other-targets`: its targets are not nodes, e.g. they are pods.
   */
  readonly why: 'unknown-load-balancer' | 'not-managed' | 'other-targets';
  /** What was found, with names. It ends a sentence. */
  readonly detail: string;
  /** How to make the Service a supported one. */
  readonly hint: string;
}
