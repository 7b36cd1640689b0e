import { isIP } from 'node:net';
import type {
  LoadBalancer,
  LoadBalancerAttribute,
  TargetGroup,
  TargetGroupAttribute,
  TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { HealthCheckFacts, TargetFacts, TargetGroupBase, TargetState } from '../../core/model/target-group.ts';
import { groupAttributes } from './cloud-terms.ts';

/** Everything that the facts of a target group are made from, except its targets. */
interface TargetGroupSource {
  /** `namespace/name`. */
  readonly service: string;
  readonly controller: Controller;
  /** An object of its own binds the group to the Service, so that annotations of the Service say nothing about it. */
  readonly isBound?: boolean;
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

/** Kinds of the target groups here: of instances, and of pods by their addresses. */
export const targetGroupKinds = ['elbv2-instance', 'elbv2-ip'] as const;

const [ofInstances, ofPods] = targetGroupKinds;

/** Reports of 30-40 s from Network Load Balancers (aws/containers-roadmap#470). Application Load Balancers are quicker. */
function mapUnhealthyLag({ Type }: LoadBalancer): Pick<TargetGroupBase, 'unhealthyLagMs'> {
  return Type === 'application' ? {} : { unhealthyLagMs: 40_000 };
}

const controllerMs = 15_000;

/**
 * How long pods need to be deregistered. Network Load Balancers: two minutes (user guide, target group attributes, deregistration delay;
 * aws-load-balancer-controller#2366), and some more. Application Load Balancers: seconds; about 10 s of propagation, and no error with 25 s in all
 * (aws-load-balancer-controller#1719 and #1064).
 */
function mapDeregistration({ Type }: LoadBalancer): Pick<TargetGroupBase, 'deregistration'> {
  switch (Type) {
    case 'network':
      return { deregistration: { controllerMs, propagationMs: 180_000 } };
    case 'application':
      return { deregistration: { controllerMs, propagationMs: 10_000 } };
    default:
      return {};
  }
}

/** Least deregistration delay that AWS recommends for Network Load Balancers (user guide, target group attributes). */
const deregistrationLagMs = 120_000;

/** Whether a group of pods is named by an ARN: it is a target group. */
export function isArn(name: string): boolean {
  return name.startsWith('arn:');
}

/**
 * Facts of a target group, except its targets. The AWS Load Balancer Controller changes health checks and attributes in place
 * (pkg/deploy/elbv2/target_group_synthesizer.go, with its default NLBHealthCheckAdvancedConfig). The service controller makes a new group when interval or
 * protocol of the health check change (cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go, healthCheckModified). Values that AWS leaves out are its
 * documented defaults for a Network Load Balancer.
 */
export function mapTargetGroup(observation: TargetGroupSource): TargetGroupBase {
  const own = attributesOf(observation.targetGroupAttributes);
  const crossZone = mapCrossZone(own, attributesOf(observation.loadBalancerAttributes));
  const hasPods = observation.targetGroup.TargetType === 'ip';
  const isLbc = observation.controller === 'aws-load-balancer-controller';
  return {
    id: observation.targetGroup.TargetGroupArn ?? '',
    name: observation.targetGroup.TargetGroupName ?? '',
    kind: hasPods ? ofPods : ofInstances,
    loadBalancer: observation.loadBalancer.LoadBalancerName ?? '',
    service: observation.service,
    // Observed with v3.5: the target turns healthy again and stays, with the label set.
    strandsDraining: isLbc && !hasPods,
    // Only the label's presence counts there (docs of the AWS Load Balancer Controller, "Node exclusion"; run with v3.5).
    ...(isLbc && !hasPods ? { ignoresLabelValue: true } : {}),
    membership: hasPods ? 'pods' : 'all-nodes',
    ...(observation.isBound === true ? {} : { followsService: isLbc ? 'in-place' : 'with-new-group' }),
    crossZone,
    zones: (observation.loadBalancer.AvailabilityZones ?? []).map(({ ZoneName }) => ZoneName ?? '').sort(),
    deregistrationDelayMs: Number(own.get(groupAttributes.drainSeconds) ?? 300) * 1000,
    terminatesConnectionsAfterDelay: own.get(groupAttributes.endsDrained) === 'true',
    terminatesUnhealthyConnections: own.get(groupAttributes.endsUnhealthy) !== 'false',
    ...(observation.loadBalancer.Type === 'network' ? { deregistrationLagMs } : {}),
    ...mapUnhealthyLag(observation.loadBalancer),
    ...(hasPods ? mapDeregistration(observation.loadBalancer) : {}),
    ...(own.get(groupAttributes.proxyHeader) === 'true' ? { sendsProxyHeader: true } : {}),
    ...(own.get(groupAttributes.sticky) === 'true' ? { sticky: true } : {}),
    ...mapQuota(observation.loadBalancer, crossZone),
    healthCheck: mapHealthCheck(observation.targetGroup),
  };
}

/** A target group may set this or inherit it from its load balancer, which is the default (API reference, TargetGroupAttribute). */
function mapCrossZone(targetGroup: Attributes, loadBalancer: Attributes): boolean {
  const key = groupAttributes.crossZone;
  const own = targetGroup.get(key) ?? 'use_load_balancer_configuration';
  return (own === 'use_load_balancer_configuration' ? loadBalancer.get(key) : own) === 'true';
}

/**
 * Default quotas of a Network Load Balancer: 500 targets in each zone, or 500 in all with cross-zone balancing. A target counts once for each of its
 * groups (user guide for Network Load Balancers, "Quotas"). An account may have more; only Service Quotas knows.
 */
function mapQuota({ Type }: LoadBalancer, crossZone: boolean): Pick<TargetGroupBase, 'maxTargets'> {
  return Type === 'network' ? { maxTargets: { targets: 500, perZone: !crossZone } } : {};
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

/**
 * A registered target: an instance by its ID, a pod by its address (ELBv2 API reference, TargetDescription). ELB names the zone only in some responses;
 * otherwise it is undefined.
 */
export function mapTarget(description: TargetHealthDescription): TargetFacts {
  const { Target, TargetHealth } = description;
  const id = Target?.Id ?? '';
  return {
    ...(isIP(id) === 0 ? { kind: 'instance', instanceId: id } : { kind: 'pod', ip: id }),
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
