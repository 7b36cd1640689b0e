import type {
  LoadBalancer,
  LoadBalancerAttribute,
  TargetGroup,
  TargetGroupAttribute,
  TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { HealthCheckFacts, TargetFacts, TargetGroupBase, TargetState } from '../../core/model/target-group.ts';

/** Everything that the facts of a target group are made from, except its targets. */
interface TargetGroupSource {
  /** `namespace/name`. */
  readonly service: string;
  readonly controller: Controller;
  readonly loadBalancer: LoadBalancer;
  readonly loadBalancerAttributes: readonly LoadBalancerAttribute[];
  readonly targetGroup: TargetGroup;
  readonly targetGroupAttributes: readonly TargetGroupAttribute[];
}

/** What registers and deregisters nodes: the service controller of Kubernetes, or the AWS Load Balancer Controller. */
export type Controller = 'service-controller' | 'aws-load-balancer-controller';

type Attributes = ReadonlyMap<string, string>;

function attributesOf(
  list: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[],
): Attributes {
  return new Map(list.map(({ Key, Value }) => [Key ?? '', Value ?? '']));
}

/** Kind of all target groups here. */
export const targetGroupKind = 'elbv2-instance';

/** Reports of 30-40 s from Network Load Balancers (aws/containers-roadmap#470). */
const unhealthyLagMs = 40_000;

/** Facts of an instance target group, except its targets. Values that AWS leaves out are its documented defaults for a Network Load Balancer. */
export function mapTargetGroup(observation: TargetGroupSource): TargetGroupBase {
  const own = attributesOf(observation.targetGroupAttributes);
  return {
    id: observation.targetGroup.TargetGroupArn ?? '',
    name: observation.targetGroup.TargetGroupName ?? '',
    kind: targetGroupKind,
    loadBalancer: observation.loadBalancer.LoadBalancerName ?? '',
    service: observation.service,
    // Observed with v3.5: the target turns healthy again and stays, with the label set.
    strandsDraining: observation.controller === 'aws-load-balancer-controller',
    // Only the label's presence counts there (docs of the AWS Load Balancer Controller, "Node exclusion"; run with v3.5).
    ...(observation.controller === 'aws-load-balancer-controller' ? { ignoresLabelValue: true } : {}),
    membership: 'all-nodes',
    crossZone: mapCrossZone(own, attributesOf(observation.loadBalancerAttributes)),
    zones: (observation.loadBalancer.AvailabilityZones ?? []).map(({ ZoneName }) => ZoneName ?? '').sort(),
    deregistrationDelayMs: Number(own.get('deregistration_delay.timeout_seconds') ?? 300) * 1000,
    terminatesConnectionsAfterDelay: own.get('deregistration_delay.connection_termination.enabled') === 'true',
    terminatesUnhealthyConnections: own.get('target_health_state.unhealthy.connection_termination.enabled') !== 'false',
    unhealthyLagMs,
    ...(own.get('proxy_protocol_v2.enabled') === 'true' ? { sendsProxyHeader: true } : {}),
    healthCheck: mapHealthCheck(observation.targetGroup),
  };
}

/** A target group may set this or inherit it from its load balancer, which is the default (API reference, TargetGroupAttribute). */
function mapCrossZone(targetGroup: Attributes, loadBalancer: Attributes): boolean {
  const key = 'load_balancing.cross_zone.enabled';
  const own = targetGroup.get(key) ?? 'use_load_balancer_configuration';
  return (own === 'use_load_balancer_configuration' ? loadBalancer.get(key) : own) === 'true';
}

function mapHealthCheck(group: TargetGroup): HealthCheckFacts {
  return {
    protocol: group.HealthCheckProtocol ?? 'TCP',
    port: group.HealthCheckPort ?? 'traffic-port',
    intervalMs: (group.HealthCheckIntervalSeconds ?? 30) * 1000,
    timeoutMs: (group.HealthCheckTimeoutSeconds ?? 10) * 1000,
    healthyThreshold: group.HealthyThresholdCount ?? 5,
    unhealthyThreshold: group.UnhealthyThresholdCount ?? 2,
  };
}

/** A registered target. ELB names the zone of an instance target only in some responses; otherwise it is undefined. */
export function mapTarget(description: TargetHealthDescription): TargetFacts {
  const { Target, TargetHealth } = description;
  return {
    instanceId: Target?.Id ?? '',
    port: Target?.Port ?? 0,
    zone: Target?.AvailabilityZone === 'all' ? undefined : Target?.AvailabilityZone,
    state: mapState(TargetHealth?.State),
    ...(TargetHealth?.Reason !== undefined && { reason: TargetHealth.Reason }),
  };
}

/**
 * `unhealthy.draining` is a registered target that failed its checks and keeps its connections (API reference, TargetHealth).
 */
function mapState(state: string | undefined): TargetState {
  switch (state) {
    case 'initial':
    case 'healthy':
    case 'unhealthy':
    case 'draining':
    case 'unhealthy.draining':
    case 'unused':
      return state;
    default:
      return 'unavailable';
  }
}
