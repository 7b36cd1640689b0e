/**
 * A Service of type LoadBalancer whose load balancer can't be watched, so that nobody can tell when it has let go of a node.
 * A Service is unsupported as a whole, even if some of its target groups are seen.
 */
export interface UnsupportedServiceFacts {
  /** `namespace/name`. */
  readonly service: string;
  /**
   * `unknown-load-balancer`: no load balancer that we can read has its address; `not-managed`: no controller is known to take nodes
   * out; `other-targets`: it sends to something else than nodes, e.g. straight to pods.
   */
  readonly why: 'unknown-load-balancer' | 'not-managed' | 'other-targets';
  /** What was found, with names, as the end of a sentence. */
  readonly detail: string;
  /** How the Service could be made one that is supported. */
  readonly hint: string;
}
