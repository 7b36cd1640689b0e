import type {
  CreateTargetGroupInput,
  CreateTargetGroupOutput,
  DeleteTargetGroupInput,
  DescribeTargetGroupAttributesInput,
  DescribeTargetGroupAttributesOutput,
  DescribeTargetGroupsInput,
  DescribeTargetGroupsOutput,
  ModifyTargetGroupAttributesInput,
  ModifyTargetGroupAttributesOutput,
  ModifyTargetGroupInput,
  ModifyTargetGroupOutput,
  ProtocolEnum,
  TargetGroup as TargetGroupDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { noPropagation } from '../../load-balancing.ts';
import { pageOf } from '../paging.ts';
import { randomHex } from '../random.ts';
import { ACCOUNT_ID, notifyChange, type World } from '../world.ts';
import { attributeList, initialAttributes, modifyAttributes } from './attributes.ts';
import { elbError } from './errors.ts';
import { healthCheckFrom } from './health-check.ts';
import { requireName } from './load-balancer-handlers.ts';
import type { TargetGroup } from './state.ts';
import { loadBalancersOf } from './targets.ts';

/** The target group with that ARN; throws the error that ELB returns otherwise. */
export function requireTargetGroup(world: World, arn: string | undefined): TargetGroup {
  const group = world.targetGroups.get(arn ?? '');
  if (group === undefined) throw elbError('TargetGroupNotFound', 'One or more target groups not found');
  return group;
}

function describe(world: World, group: TargetGroup): TargetGroupDescription {
  const check = group.healthCheck;
  return {
    TargetGroupArn: group.arn,
    TargetGroupName: group.name,
    Protocol: group.protocol as ProtocolEnum,
    Port: group.port,
    VpcId: group.vpcId,
    TargetType: group.targetType,
    IpAddressType: 'ipv4',
    LoadBalancerArns: loadBalancersOf(world, group).map(({ arn }) => arn),
    HealthCheckProtocol: check.protocol as ProtocolEnum,
    HealthCheckPort: check.port,
    HealthCheckPath: check.path,
    Matcher: check.matcher === undefined ? undefined : { HttpCode: check.matcher },
    HealthCheckEnabled: check.enabled,
    HealthCheckIntervalSeconds: check.intervalSeconds,
    HealthCheckTimeoutSeconds: check.timeoutSeconds,
    HealthyThresholdCount: check.healthyThreshold,
    UnhealthyThresholdCount: check.unhealthyThreshold,
  };
}

/** ELBv2 operations on target groups. */
export function targetGroupHandlers(world: World) {
  const groups = world.targetGroups;

  function create(input: CreateTargetGroupInput): TargetGroup {
    const name = requireName(input.Name, 'target group');
    const targetType = input.TargetType ?? 'instance';
    if (targetType !== 'instance' && targetType !== 'ip') {
      throw elbError('InvalidConfigurationRequest', `Target type '${targetType}' does not exist here`);
    }
    const group: TargetGroup = {
      arn: `arn:aws:elasticloadbalancing:${world.region}:${ACCOUNT_ID}:targetgroup/${name}/${randomHex(world.random, 16)}`,
      name,
      protocol: input.Protocol ?? 'TCP',
      port: input.Port ?? 0,
      targetType,
      vpcId: input.VpcId ?? world.network.vpcId,
      tags: new Map((input.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
      attributes: initialAttributes('Target group'),
      targets: new Map(),
      ...noPropagation(),
      healthCheck: healthCheckFrom(input),
    };
    // Network Load Balancer guide, "Client IP preservation": off by default for IP targets over TCP.
    if (targetType === 'ip') group.attributes.set('preserve_client_ip.enabled', 'false');
    groups.set(group.arn, group);
    notifyChange(world);
    return group;
  }

  return {
    /** The same name with the same settings returns the existing one (ELBv2 API reference: the operation is idempotent). */
    CreateTargetGroup(input: CreateTargetGroupInput): CreateTargetGroupOutput {
      const existing = [...groups.values()].find(({ name }) => name === input.Name);
      if (existing === undefined) return { TargetGroups: [describe(world, create(input))] };
      const wanted = JSON.stringify([
        input.Protocol,
        input.Port,
        input.TargetType ?? 'instance',
        healthCheckFrom(input),
      ]);
      const has = JSON.stringify([existing.protocol, existing.port, existing.targetType, existing.healthCheck]);
      if (wanted === has) return { TargetGroups: [describe(world, existing)] };
      throw elbError(
        'DuplicateTargetGroupName',
        `A target group with the same name '${input.Name}' exists, but with different settings`,
      );
    },

    DescribeTargetGroups(input: DescribeTargetGroupsInput): DescribeTargetGroupsOutput {
      const { TargetGroupArns = [], Names = [], LoadBalancerArn } = input;
      for (const arn of TargetGroupArns) requireTargetGroup(world, arn);
      const known = [...groups.values()];
      if (Names.some((name) => !known.some((group) => group.name === name))) {
        throw elbError('TargetGroupNotFound', 'One or more target groups not found');
      }
      const wanted = new Set([...TargetGroupArns, ...Names]);
      const found = known.filter(
        (group) =>
          (wanted.size === 0 || wanted.has(group.arn) || wanted.has(group.name)) &&
          (LoadBalancerArn === undefined || loadBalancersOf(world, group).some(({ arn }) => arn === LoadBalancerArn)),
      );
      const page = pageOf(found, input.Marker, input.PageSize ?? 400, 'ValidationError');
      return { TargetGroups: page.items.map((group) => describe(world, group)), NextMarker: page.nextToken };
    },

    ModifyTargetGroup(input: ModifyTargetGroupInput): ModifyTargetGroupOutput {
      const group = requireTargetGroup(world, input.TargetGroupArn);
      Object.assign(group.healthCheck, healthCheckFrom(input, group.healthCheck));
      notifyChange(world);
      return { TargetGroups: [describe(world, group)] };
    },

    /** Deleting a target group that does not exist succeeds; one that a listener uses is refused (ELBv2 API reference, DeleteTargetGroup). */
    DeleteTargetGroup(input: DeleteTargetGroupInput): object {
      const group = groups.get(input.TargetGroupArn ?? '');
      if (group === undefined) return {};
      if (loadBalancersOf(world, group).length > 0) {
        throw elbError('ResourceInUse', `Target group '${group.arn}' is currently in use by a listener or a rule`);
      }
      for (const target of group.targets.values()) target.cancelTimer?.();
      groups.delete(group.arn);
      notifyChange(world);
      return {};
    },

    DescribeTargetGroupAttributes(input: DescribeTargetGroupAttributesInput): DescribeTargetGroupAttributesOutput {
      return { Attributes: attributeList(requireTargetGroup(world, input.TargetGroupArn).attributes) };
    },

    ModifyTargetGroupAttributes(input: ModifyTargetGroupAttributesInput): ModifyTargetGroupAttributesOutput {
      const { attributes } = requireTargetGroup(world, input.TargetGroupArn);
      modifyAttributes('Target group', attributes, input.Attributes ?? []);
      notifyChange(world);
      return { Attributes: attributeList(attributes) };
    },
  };
}
