import type {
  DeregisterTargetsInput,
  DescribeTargetHealthInput,
  DescribeTargetHealthOutput,
  RegisterTargetsInput,
  TargetDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { World } from '../world.ts';
import { elbError } from './errors.ts';
import type { Target, TargetGroup, TargetReason } from './state.ts';
import { requireTargetGroup } from './target-group-handlers.ts';
import { deregisterTarget, registerTarget, targetKey } from './targets.ts';

/** As worded in the ELB user guides, "Health checks for your target groups", reason codes. */
const descriptions: Readonly<Record<TargetReason, string>> = {
  'Elb.RegistrationInProgress': 'Target registration is in progress',
  'Elb.InitialHealthChecking': 'Initial health checks in progress',
  'Target.FailedHealthChecks': 'Health checks failed',
  'Target.DeregistrationInProgress': 'Target deregistration is in progress',
  'Target.NotRegistered': 'Target is not registered to the target group',
  'Target.NotInUse': 'Target group is not configured to receive traffic from the load balancer',
};

function describe(group: TargetGroup, target: Pick<Target, 'id' | 'port' | 'state' | 'reason'>) {
  const { port } = group.healthCheck;
  return {
    Target: { Id: target.id, Port: target.port },
    HealthCheckPort: port === 'traffic-port' ? String(target.port) : port,
    TargetHealth: {
      State: target.state,
      Reason: target.reason,
      Description: target.reason === undefined ? undefined : descriptions[target.reason],
    },
  };
}

/** ELBv2 operations on targets. */
export function targetHandlers(world: World) {
  /** The zone and address of a target. An instance must run to be registered (ELBv2 API reference, RegisterTargets). */
  function locate(group: TargetGroup, { Id: id = '', Port, AvailabilityZone }: TargetDescription) {
    const port = Port ?? group.port;
    if (group.targetType === 'ip') {
      const owner = [...world.instances.values()].find(({ privateIp }) => privateIp === id);
      return { id, port, ip: id, zone: owner?.zone ?? AvailabilityZone ?? world.zones[0] ?? '' };
    }
    const instance = world.instances.get(id);
    if (instance === undefined)
      throw elbError('InvalidTarget', `The following targets are not valid instances: '${id}'`);
    if (instance.state !== 'running') {
      throw elbError(
        'InvalidTarget',
        `The following targets are not in a running state and cannot be registered: '${id}'`,
      );
    }
    return { id, port, ip: instance.privateIp, zone: instance.zone };
  }

  return {
    /** Registers all targets or none. */
    RegisterTargets(input: RegisterTargetsInput): object {
      const group = requireTargetGroup(world, input.TargetGroupArn);
      const located = (input.Targets ?? []).map((target) => locate(group, target));
      for (const target of located) registerTarget(world, group, target);
      return {};
    },

    /** A target that is not registered is not an error (API reference, DeregisterTargets). Without a port, the group's port is used. */
    DeregisterTargets(input: DeregisterTargetsInput): object {
      const group = requireTargetGroup(world, input.TargetGroupArn);
      for (const { Id = '', Port } of input.Targets ?? []) {
        const target = group.targets.get(targetKey(Id, Port ?? group.port));
        if (target !== undefined) deregisterTarget(world, group, target);
      }
      return {};
    },

    /**
     * Without targets: all registered and draining ones. When requested by id, a target that is not registered is returned as unused (API reference).
     */
    DescribeTargetHealth(input: DescribeTargetHealthInput): DescribeTargetHealthOutput {
      const group = requireTargetGroup(world, input.TargetGroupArn);
      const wanted = input.Targets?.map(({ Id = '', Port }) => ({ id: Id, port: Port ?? group.port }));
      const found = wanted?.map(
        ({ id, port }) =>
          group.targets.get(targetKey(id, port)) ?? {
            id,
            port,
            state: 'unused' as const,
            reason: 'Target.NotRegistered' as const,
          },
      ) ?? [...group.targets.values()];
      return { TargetHealthDescriptions: found.map((target) => describe(group, target)) };
    },
  };
}
