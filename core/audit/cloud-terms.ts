/** What a finding or a fix names at a certain cloud. The adapter of its load balancers knows; the rules do not. */
export interface CloudTerms {
  /** Annotations of a Service by what they set. Absent where the controller sets all of that by itself. */
  readonly annotations?: {
    readonly healthCheckPort: string;
    readonly healthCheckProtocol: string;
    /** In seconds. */
    readonly healthCheckInterval: string;
    readonly unhealthyThreshold: string;
    /** All attributes of the target groups in one text, `key=value,key=value`. */
    readonly attributes: string;
  };
  /** Label (`key=value`) of a namespace in which new pods get readiness gates. Absent where they get them anyway. */
  readonly readinessGateLabel?: string;
  /** Labels of the pods that register and deregister nodes, where they run in the cluster. */
  readonly controllers: readonly { readonly label: string; readonly value: string }[];
}
