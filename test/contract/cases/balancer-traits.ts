import type { ServiceFacts } from '../../../core/model/service.ts';
import type { TargetFacts, TargetGroupBase } from '../../../core/model/target-group.ts';

/** In what the load balancers of clouds differ by nature. */
export interface BalancerTraits {
  /** What is told of the group of Service `web`: what sort it is, and where it has addresses. */
  readonly group: Pick<TargetGroupBase, 'kind' | 'membership' | 'crossZone' | 'zones'>;
  /** What is told of it once its owner has changed it. */
  readonly changed: Partial<TargetGroupBase>;
  /** The port of a node as a target. */
  readonly portOf: (service: ServiceFacts) => number | undefined;
  /** What is told of a target that drains, that was registered a moment ago, and that fails its checks, with reasons in the cloud's words. */
  readonly states: Readonly<Record<'draining' | 'registered' | 'failing', Pick<TargetFacts, 'state' | 'reason'>>>;
  /** Whether a target that drains can be registered again before that has ended. */
  readonly returnsWhileDraining: boolean;
  /** An address that no load balancer has. */
  readonly strange: string;
}

/** Network Load Balancers of AWS, and the simulator that follows them. */
export const networkLoadBalancers: BalancerTraits = {
  group: {
    kind: 'elbv2-instance',
    membership: 'all-nodes',
    crossZone: false,
    zones: ['eu-west-1a', 'eu-west-1b'],
  },
  changed: { crossZone: true },
  portOf: ({ nodePorts }) => nodePorts[0],
  states: {
    draining: { state: 'draining', reason: 'Target.DeregistrationInProgress' },
    registered: { state: 'initial', reason: 'Elb.RegistrationInProgress' },
    failing: { state: 'unhealthy', reason: 'Target.FailedHealthChecks' },
  },
  returnsWhileDraining: true,
  strange: 'classic-1.elb.amazonaws.com',
};

/** Passthrough load balancers of Google with groups of nodes: a member is a VM as a whole. */
export const passthroughLoadBalancers: BalancerTraits = {
  group: {
    kind: 'gce-backend-service',
    membership: 'hosts-only',
    crossZone: true,
    zones: ['europe-west1-b', 'europe-west1-c'],
  },
  changed: { deregistrationDelayMs: 120_000 },
  portOf: () => 0,
  states: {
    draining: { state: 'draining', reason: 'DRAINING' },
    registered: { state: 'unhealthy', reason: 'UNHEALTHY' },
    failing: { state: 'unhealthy', reason: 'UNHEALTHY' },
  },
  returnsWhileDraining: false,
  strange: '192.0.2.1',
};
