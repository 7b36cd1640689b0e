/**
 * State of one target of a target group, in the same words for every cloud. `unhealthy.draining` is a registered target that failed its
 * health checks and keeps its connections for a while (ELBv2 API reference, TargetHealth).
 */
export type TargetState =
  | 'initial'
  | 'healthy'
  | 'unhealthy'
  | 'unhealthy.draining'
  | 'draining'
  | 'unused'
  | 'unavailable';

/** One registered target. */
export interface TargetFacts {
  readonly instanceId: string;
  readonly port: number;
  readonly zone: string | undefined;
  readonly state: TargetState;
  /** The cloud's reason code, e.g. `Target.FailedHealthChecks`. */
  readonly reason?: string;
}

/** How a load balancer checks its targets. */
export interface HealthCheckFacts {
  readonly protocol: string;
  readonly port: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/** A set of instances to which a load balancer sends traffic. `kind` says which sort of set. Attributes are read from the cloud, never assumed. */
export interface TargetGroupFacts {
  /** ARN or the cloud's own name. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'elbv2-instance' | 'gce-target-pool' | 'gce-backend-service';
  readonly loadBalancer: string;
  /** Its Service, `namespace/name`. */
  readonly service: string;
  /** What registers and deregisters nodes: the service controller of Kubernetes, the AWS Load Balancer Controller, or ingress-gce. */
  readonly controller: 'service-controller' | 'aws-load-balancer-controller' | 'ingress-gce';
  readonly crossZone: boolean;
  /** Zones in which the load balancer has an address. */
  readonly zones: readonly string[];
  readonly deregistrationDelayMs: number;
  /** The load balancer closes remaining connections at the end of the deregistration delay. */
  readonly terminatesConnectionsAfterDelay: boolean;
  /** The load balancer closes the connections of a target that becomes unhealthy. */
  readonly terminatesUnhealthyConnections: boolean;
  readonly healthCheck: HealthCheckFacts;
  readonly targets: readonly TargetFacts[];
}

/** A target group without its targets. These attributes change rarely. */
export type TargetGroupBase = Omit<TargetGroupFacts, 'targets'>;
