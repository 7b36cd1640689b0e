/**
 * State of one target of a target group, one word for every cloud; a target that is not listed is absent. `unhealthy.draining` is a
 * registered target that failed its checks and keeps its connections for a while (ELBv2 API reference, TargetHealth).
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

/** Any set of machines that a load balancer sends to; `kind` tells which. Attributes are read live, never assumed. */
export interface TargetGroupFacts {
  /** ARN or the cloud's own name. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'elbv2-instance';
  readonly loadBalancer: string;
  /** `namespace/name` of the Service it carries. */
  readonly service: string;
  /** Who registers and deregisters nodes: Kubernetes' service controller of the cloud, or the AWS Load Balancer Controller. */
  readonly controller: 'service-controller' | 'aws-load-balancer-controller';
  readonly crossZone: boolean;
  /** Zones in which the load balancer has an address. */
  readonly zones: readonly string[];
  readonly deregistrationDelayMs: number;
  /** The load balancer breaks remaining connections at the end of the deregistration delay. */
  readonly terminatesConnectionsAfterDelay: boolean;
  /** The load balancer breaks connections of a target that turns unhealthy. */
  readonly terminatesUnhealthyConnections: boolean;
  readonly healthCheck: HealthCheckFacts;
  readonly targets: readonly TargetFacts[];
}

/** A target group without its targets: what changes rarely. */
export type TargetGroupBase = Omit<TargetGroupFacts, 'targets'>;
