import type { Believed, CheckCount, Propagation } from '../../load-balancing.ts';

/** State of a target in DescribeTargetHealth (ELBv2 API reference, TargetHealth). */
export type TargetState = 'initial' | 'healthy' | 'unhealthy' | 'unhealthy.draining' | 'draining' | 'unused';

/**
 * Why the target is in that state (ELBv2 API reference, TargetHealth). A network load balancer has one reason for all failed checks; the more
 * detailed ones belong to the application load balancer.
 */
export type TargetReason =
  | 'Elb.RegistrationInProgress'
  | 'Elb.InitialHealthChecking'
  | 'Target.FailedHealthChecks'
  | 'Target.DeregistrationInProgress'
  | 'Target.NotRegistered'
  | 'Target.NotInUse';

/** A registered target: the control plane's view. */
export interface Target extends CheckCount {
  readonly id: string;
  readonly port: number;
  readonly ip: string;
  readonly zone: string;
  state: TargetState;
  reason: TargetReason | undefined;
  /** Cancels the timer of the current state. */
  cancelTimer: (() => void) | undefined;
}

/** What the load balancer's data plane knows of a target. */
export interface Route extends Believed {
  readonly id: string;
  readonly port: number;
  readonly ip: string;
  readonly zone: string;
}

/** How a target group checks health; times in seconds. */
export interface HealthCheck {
  protocol: string;
  port: string;
  path: string | undefined;
  matcher: string | undefined;
  enabled: boolean;
  intervalSeconds: number;
  timeoutSeconds: number;
  healthyThreshold: number;
  unhealthyThreshold: number;
}

/** A target group. Targets and routes are keyed by `id:port`. */
export interface TargetGroup extends Propagation<Route> {
  readonly arn: string;
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly targetType: 'instance' | 'ip';
  readonly vpcId: string;
  readonly tags: Map<string, string>;
  readonly attributes: Map<string, string>;
  readonly targets: Map<string, Target>;
  readonly healthCheck: HealthCheck;
}

/** A listener that forwards to one target group. */
export interface Listener {
  readonly arn: string;
  port: number;
  protocol: string;
  targetGroupArn: string;
}

/** A network load balancer. */
export interface LoadBalancer {
  readonly arn: string;
  readonly name: string;
  readonly dnsName: string;
  readonly scheme: string;
  readonly createdAt: number;
  readonly tags: Map<string, string>;
  readonly attributes: Map<string, string>;
  readonly listeners: Map<string, Listener>;
  securityGroups: readonly string[];
  /** One address per enabled zone. */
  zones: readonly { readonly zone: string; readonly subnetId: string; readonly vip: string }[];
}
