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

interface RegisteredTarget {
  readonly port: number;
  readonly zone: string | undefined;
  readonly state: TargetState;
  /** The cloud's reason code, e.g. `Target.FailedHealthChecks`. */
  readonly reason?: string;
}

/** A node as a target: its instance. */
export interface InstanceTarget extends RegisteredTarget {
  readonly kind: 'instance';
  readonly instanceId: string;
}

/** A pod as a target: one of its addresses. A pod in the network of its node has the address of the node. */
export interface PodTarget extends RegisteredTarget {
  readonly kind: 'pod';
  readonly ip: string;
}

/** One registered target. */
export type TargetFacts = InstanceTarget | PodTarget;

/** What the target is called in the cloud: the ID of its instance, or address and port of its pod. */
export function nameOfTarget(target: TargetFacts): string {
  return target.kind === 'instance' ? target.instanceId : `${target.ip}:${target.port}`;
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

/**
 * Which nodes are targets of a group while nobody excludes them. `all-nodes`: every node that the load balancer takes. `hosts-only`: only nodes that
 * host an endpoint of its Service, from a moment after the endpoint has appeared. `subset`: nodes that the controller draws, and a new node
 * only when there is room. `pods`: no node; its targets are the pods of its Service.
 */
type Membership = 'all-nodes' | 'hosts-only' | 'subset' | 'pods';

/** How long it takes until a target that has to go gets no new connections any more: the most that is expected, ms. */
export interface DeregistrationFacts {
  /** Until its controller has deregistered it. */
  readonly controllerMs: number;
  /** How long new connections may still arrive from then on. */
  readonly propagationMs: number;
}

/**
 * What its controller does when annotations of its Service change. `in-place`: it changes attributes and health check of the group. `with-new-group`: for
 * another interval or protocol of the health check it makes a new group, whose targets are healthy only after a while, and it takes no attributes from
 * annotations.
 */
type FollowsService = 'in-place' | 'with-new-group';

/** A set of targets to which a load balancer sends traffic. Attributes are read from the cloud, never assumed. */
export interface TargetGroupFacts {
  /** ARN or the cloud's own name. */
  readonly id: string;
  readonly name: string;
  /** Which sort of set it is, e.g. `elbv2-instance`: durations are learned for each. Nobody but its adapter compares it. */
  readonly kind: string;
  /** Where the cloud lists its targets, if not under its ID. Nobody but its adapter reads it. */
  readonly parts?: readonly string[];
  readonly loadBalancer: string;
  /** Its Service, `namespace/name`. */
  readonly service: string;
  /** The controller never deregisters a node that is excluded while its target is `unhealthy.draining`. */
  readonly strandsDraining: boolean;
  /** The controller excludes every node that has the exclude label, whatever its value. Absent where a value that means no includes the node. */
  readonly ignoresLabelValue?: boolean;
  /** Absent in facts from before there were others than `all-nodes`. */
  readonly membership?: Membership;
  /** Absent where annotations of its Service change nothing about it, and where nobody knows. */
  readonly followsService?: FollowsService;
  /**
   * A node that is included again while it drains is registered only when that has ended (ingress-gce v1.41.1: a detach operation is not cancelled),
   * and one that drains and fails its health checks is `unhealthy`. Absent where it is registered at once, and `draining` in any case.
   */
  readonly returnsAfterDrain?: boolean;
  /**
   * The controller reads the exclusion label only when a node is added, deleted, turns Ready or not Ready, or is cordoned or uncordoned: a label on a
   * node that is cordoned already changes nothing by itself (ingress-gce v1.41.1, pkg/instancegroups/controller.go, nodeStatusChanged). Absent where
   * the label is enough.
   */
  readonly readsLabelWithCordon?: true;
  /** Its controller may read the label only then: nobody can tell. The cordon changes only where the label alone has done nothing for a while. */
  readonly mayReadLabelWithCordon?: true;
  readonly crossZone: boolean;
  /** Zones in which the load balancer has an address. */
  readonly zones: readonly string[];
  readonly deregistrationDelayMs: number;
  /** The load balancer closes remaining connections at the end of the deregistration delay. Where nobody says what becomes of them, `unknown`. */
  readonly terminatesConnectionsAfterDelay: boolean | 'unknown';
  /** The load balancer closes the connections of a target that becomes unhealthy. */
  readonly terminatesUnhealthyConnections: boolean;
  /** How long, ms, new connections may still arrive after a target was deregistered. Absent where that is short, or not known. */
  readonly deregistrationLagMs?: number;
  /** How long, ms, new connections may still arrive after the load balancer has found a target unhealthy. Absent when it is not known. */
  readonly unhealthyLagMs?: number;
  /** How long deregistering a target takes there. Absent when it is not known. */
  readonly deregistration?: DeregistrationFacts;
  /** It puts a PROXY protocol header before each connection, health checks included. */
  readonly sendsProxyHeader?: boolean;
  /** It sends the same client to the same target for as long as it can. */
  readonly sticky?: true;
  /** How many targets its load balancer can have, in all of its groups together, or in each zone. Absent when no limit is known. */
  readonly maxTargets?: { readonly targets: number; readonly perZone: boolean };
  /** How to move to what has taken the place of this sort of group at its cloud, in a sentence. Absent for one that is not outdated. */
  readonly successor?: string;
  readonly healthCheck: HealthCheckFacts;
  /**
   * A group of pods of which no observation of the run has shown a healthy target. Its pods need not become healthy ones, only targets. Absent for all
   * others, and where nobody knows what was observed before.
   */
  readonly silent?: true;
  readonly targets: readonly TargetFacts[];
}

/** A target group without its targets. These attributes change rarely. */
export type TargetGroupBase = Omit<TargetGroupFacts, 'targets' | 'silent'>;

/** Which nodes are targets of the group. */
export function membershipOf({ membership = 'all-nodes' }: Pick<TargetGroupFacts, 'membership'>): Membership {
  return membership;
}

/** Its targets are pods. The labels of nodes make no difference to it. */
export function hasPods({ membership }: Pick<TargetGroupFacts, 'membership'>): boolean {
  return membership === 'pods';
}
