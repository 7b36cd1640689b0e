import type {
  CreateLoadBalancerInput,
  CreateLoadBalancerOutput,
  DeleteLoadBalancerInput,
  DescribeLoadBalancerAttributesInput,
  DescribeLoadBalancerAttributesOutput,
  DescribeLoadBalancersInput,
  DescribeLoadBalancersOutput,
  LoadBalancer as LoadBalancerDescription,
  LoadBalancerSchemeEnum,
  ModifyLoadBalancerAttributesInput,
  ModifyLoadBalancerAttributesOutput,
  SetSecurityGroupsInput,
  SetSecurityGroupsOutput,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { takeVip } from '../ec2/network.ts';
import { pageOf } from '../paging.ts';
import { randomHex } from '../random.ts';
import { ACCOUNT_ID, notifyChange, type World } from '../world.ts';
import { attributeList, initialAttributes, modifyAttributes } from './attributes.ts';
import { elbError } from './errors.ts';
import type { LoadBalancer } from './state.ts';
import { followUse } from './targets.ts';

/** The load balancer with that ARN; throws the error that ELB returns otherwise. */
export function requireLoadBalancer(world: World, arn: string | undefined): LoadBalancer {
  const balancer = world.loadBalancers.get(arn ?? '');
  if (balancer === undefined) throw elbError('LoadBalancerNotFound', `Load balancer '${arn}' not found`);
  return balancer;
}

/** Up to 32 letters, digits and hyphens (ELBv2 API reference, CreateLoadBalancer and CreateTargetGroup). */
export function requireName(name: string | undefined, what: string): string {
  if (name !== undefined && /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?$/.test(name)) return name;
  throw elbError(
    'ValidationError',
    `The ${what} name '${name}' can only contain alphanumeric characters and hyphens, at most 32`,
  );
}

/** The lab has no public DNS: addresses are returned as for load balancers with Elastic IPs. */
function describe(world: World, balancer: LoadBalancer): LoadBalancerDescription {
  return {
    LoadBalancerArn: balancer.arn,
    LoadBalancerName: balancer.name,
    DNSName: balancer.dnsName,
    CanonicalHostedZoneId: 'Z2IFOLAFXWLO4F',
    CreatedTime: new Date(balancer.createdAt),
    Scheme: balancer.scheme as LoadBalancerSchemeEnum,
    VpcId: world.network.vpcId,
    State: { Code: 'active' },
    Type: 'network',
    IpAddressType: 'ipv4',
    SecurityGroups: [...balancer.securityGroups],
    AvailabilityZones: balancer.zones.map(({ zone, subnetId, vip }) => ({
      ZoneName: zone,
      SubnetId: subnetId,
      LoadBalancerAddresses: [{ IpAddress: vip }],
    })),
  };
}

/** ELBv2 operations on load balancers. Only network load balancers exist here. */
export function loadBalancerHandlers(world: World) {
  const balancers = world.loadBalancers;

  function create(input: CreateLoadBalancerInput): LoadBalancer {
    const name = requireName(input.Name, 'load balancer');
    if (input.Type !== 'network')
      throw elbError('InvalidConfigurationRequest', 'Only network load balancers exist here');
    const subnetIds = input.SubnetMappings?.map(({ SubnetId }) => SubnetId) ?? input.Subnets ?? [];
    const hash = randomHex(world.random, 16);
    const balancer: LoadBalancer = {
      arn: `arn:aws:elasticloadbalancing:${world.region}:${ACCOUNT_ID}:loadbalancer/net/${name}/${hash}`,
      name,
      dnsName: `${name}-${hash}.elb.${world.region}.amazonaws.com`,
      scheme: input.Scheme ?? 'internet-facing',
      createdAt: world.clock.now(),
      tags: new Map((input.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
      attributes: initialAttributes('Load balancer'),
      listeners: new Map(),
      securityGroups: input.SecurityGroups ?? [],
      zones: [],
    };
    balancers.set(balancer.arn, balancer);
    for (const subnetId of subnetIds) {
      const subnet = world.network.subnets.find(({ id }) => id === subnetId);
      if (subnet === undefined) {
        balancers.delete(balancer.arn);
        throw elbError('SubnetNotFound', `The subnet ID '${subnetId}' does not exist`);
      }
      balancer.zones = [...balancer.zones, { zone: subnet.zone, subnetId: subnet.id, vip: takeVip(world) }];
    }
    notifyChange(world);
    return balancer;
  }

  return {
    /** The same name with the same settings returns the existing one (ELBv2 API reference: the operation is idempotent). */
    CreateLoadBalancer(input: CreateLoadBalancerInput): CreateLoadBalancerOutput {
      const existing = [...balancers.values()].find(({ name }) => name === input.Name);
      if (existing === undefined) return { LoadBalancers: [describe(world, create(input))] };
      const subnetIds = input.SubnetMappings?.map(({ SubnetId }) => SubnetId) ?? input.Subnets ?? [];
      const same =
        existing.scheme === (input.Scheme ?? 'internet-facing') &&
        existing.zones.length === subnetIds.length &&
        existing.zones.every(({ subnetId }) => subnetIds.includes(subnetId));
      if (same) return { LoadBalancers: [describe(world, existing)] };
      throw elbError(
        'DuplicateLoadBalancerName',
        `A load balancer with the same name '${input.Name}' exists, but with different settings`,
      );
    },

    DescribeLoadBalancers(input: DescribeLoadBalancersInput): DescribeLoadBalancersOutput {
      const { Names = [], LoadBalancerArns = [] } = input;
      const known = [...balancers.values()];
      const missing = Names.filter((name) => !known.some((balancer) => balancer.name === name));
      if (missing.length > 0)
        throw elbError('LoadBalancerNotFound', `Load balancers '[${missing.join(', ')}]' not found`);
      for (const arn of LoadBalancerArns) requireLoadBalancer(world, arn);
      const wanted = new Set([...Names, ...LoadBalancerArns]);
      const found = known.filter(({ name, arn }) => wanted.size === 0 || wanted.has(name) || wanted.has(arn));
      const page = pageOf(found, input.Marker, input.PageSize ?? 400, 'ValidationError');
      return { LoadBalancers: page.items.map((balancer) => describe(world, balancer)), NextMarker: page.nextToken };
    },

    /** Deleting a load balancer that does not exist succeeds (ELBv2 API reference, DeleteLoadBalancer). */
    DeleteLoadBalancer(input: DeleteLoadBalancerInput): object {
      const balancer = balancers.get(input.LoadBalancerArn ?? '');
      if (balancer === undefined) return {};
      if (balancer.attributes.get('deletion_protection.enabled') === 'true') {
        throw elbError(
          'OperationNotPermitted',
          `Load balancer '${balancer.arn}' cannot be deleted because deletion protection is enabled`,
        );
      }
      balancers.delete(balancer.arn);
      for (const group of world.targetGroups.values()) followUse(world, group);
      notifyChange(world);
      return {};
    },

    DescribeLoadBalancerAttributes(input: DescribeLoadBalancerAttributesInput): DescribeLoadBalancerAttributesOutput {
      return { Attributes: attributeList(requireLoadBalancer(world, input.LoadBalancerArn).attributes) };
    },

    ModifyLoadBalancerAttributes(input: ModifyLoadBalancerAttributesInput): ModifyLoadBalancerAttributesOutput {
      const { attributes } = requireLoadBalancer(world, input.LoadBalancerArn);
      modifyAttributes('Load balancer', attributes, input.Attributes ?? []);
      notifyChange(world);
      return { Attributes: attributeList(attributes) };
    },

    SetSecurityGroups(input: SetSecurityGroupsInput): SetSecurityGroupsOutput {
      const balancer = requireLoadBalancer(world, input.LoadBalancerArn);
      balancer.securityGroups = input.SecurityGroups ?? [];
      notifyChange(world);
      return { SecurityGroupIds: [...balancer.securityGroups] };
    },
  };
}
