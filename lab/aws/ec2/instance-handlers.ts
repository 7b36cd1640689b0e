import type {
  CreateTagsRequest,
  DeleteTagsRequest,
  DescribeInstancesRequest,
  DescribeInstancesResult,
  DescribeInstanceTopologyResult,
  DescribeInstanceTypesRequest,
  DescribeInstanceTypesResult,
  Instance as InstanceDescription,
  _InstanceType as InstanceType,
  TerminateInstancesRequest,
  TerminateInstancesResult,
} from '@aws-sdk/client-ec2';
import { AwsError } from '../codec/errors.ts';
import { pageOf } from '../paging.ts';
import { ACCOUNT_ID, notifyChange, type World } from '../world.ts';
import { matchesFilters, tagList } from './filters.ts';
import { terminateInstance } from './instances.ts';
import type { Instance, InstanceState } from './state.ts';

/** EC2 API reference, InstanceState. */
const stateCodes = { pending: 0, running: 16, 'shutting-down': 32, terminated: 48 } as const;

const stateOf = (name: InstanceState) => ({ Code: stateCodes[name], Name: name });

function describe(world: World, instance: Instance): InstanceDescription {
  const { vpcId, securityGroups } = world.network;
  const groups = [...securityGroups.values()].slice(0, 1).map((g) => ({ GroupId: g.id, GroupName: g.name }));
  const addressed = instance.state === 'pending' || instance.state === 'running';
  const network = { PrivateIpAddress: instance.privateIp, PrivateDnsName: instance.privateDnsName };
  return {
    InstanceId: instance.id,
    ImageId: instance.imageId,
    InstanceType: instance.instanceType as InstanceType,
    LaunchTime: new Date(instance.launchedAt),
    Placement: { AvailabilityZone: instance.zone, Tenancy: 'default' },
    State: stateOf(instance.state),
    Architecture: 'x86_64',
    SourceDestCheck: true,
    Tags: tagList(instance.tags),
    // A terminated instance keeps neither addresses nor interfaces.
    ...(addressed
      ? {
          ...network,
          VpcId: vpcId,
          SubnetId: instance.subnetId,
          SecurityGroups: groups,
          NetworkInterfaces: [
            {
              ...network,
              NetworkInterfaceId: instance.id.replace('i-', 'eni-'),
              Status: 'in-use',
              SubnetId: instance.subnetId,
              VpcId: vpcId,
              SourceDestCheck: true,
              Attachment: { DeviceIndex: 0, Status: 'attached' },
              Groups: groups,
              PrivateIpAddresses: [{ ...network, Primary: true }],
            },
          ],
        }
      : { PrivateDnsName: '' }),
  };
}

function filterable(world: World, instance: Instance) {
  return {
    tags: instance.tags,
    values: {
      'instance-id': [instance.id],
      'instance-state-name': [instance.state],
      'instance-type': [instance.instanceType],
      'private-dns-name': [instance.privateDnsName],
      'private-ip-address': [instance.privateIp],
      'network-interface.private-dns-name': [instance.privateDnsName],
      'network-interface.addresses.private-ip-address': [instance.privateIp],
      'availability-zone': [instance.zone],
      'subnet-id': [instance.subnetId],
      'vpc-id': [world.network.vpcId],
    },
  };
}

function requireInstances(world: World, ids: readonly string[]): Instance[] {
  const missing = ids.filter((id) => !world.instances.has(id));
  if (missing.length === 1) {
    throw new AwsError('InvalidInstanceID.NotFound', `The instance ID '${missing[0]}' does not exist`);
  }
  if (missing.length > 1) {
    throw new AwsError('InvalidInstanceID.NotFound', `The instance IDs '${missing.join(', ')}' do not exist`);
  }
  return ids.map((id) => world.instances.get(id)).filter((instance) => instance !== undefined);
}

/** EC2 operations on instances and their tags. */
export function instanceHandlers(world: World) {
  return {
    DescribeInstances(input: DescribeInstancesRequest): DescribeInstancesResult {
      const ids = input.InstanceIds ?? [];
      if (ids.length > 0 && input.MaxResults !== undefined) {
        throw new AwsError(
          'InvalidParameterCombination',
          'The parameter instancesSet cannot be used with the parameter maxResults',
        );
      }
      const chosen = ids.length > 0 ? requireInstances(world, ids) : [...world.instances.values()];
      const found = chosen.filter((instance) => matchesFilters(filterable(world, instance), input.Filters));
      const page = pageOf(found, input.NextToken, input.MaxResults ?? 1000, 'InvalidNextToken');
      return {
        Reservations: page.items.map((instance) => ({
          ReservationId: instance.id.replace('i-', 'r-'),
          OwnerId: ACCOUNT_ID,
          Instances: [describe(world, instance)],
        })),
        NextToken: page.nextToken,
      };
    },

    TerminateInstances(input: TerminateInstancesRequest): TerminateInstancesResult {
      const instances = requireInstances(world, input.InstanceIds ?? []);
      return {
        TerminatingInstances: instances.map((instance) => {
          const before = stateOf(instance.state);
          terminateInstance(world, instance);
          return { InstanceId: instance.id, PreviousState: before, CurrentState: stateOf(instance.state) };
        }),
      };
    },

    /** Only some large instance types have a topology (EC2 user guide, "Instance topology"). */
    DescribeInstanceTopology(): DescribeInstanceTopologyResult {
      return { Instances: [] };
    },

    DescribeInstanceTypes(input: DescribeInstanceTypesRequest): DescribeInstanceTypesResult {
      return {
        InstanceTypes: (input.InstanceTypes ?? []).map((InstanceType) => ({
          InstanceType,
          CurrentGeneration: true,
          VCpuInfo: { DefaultVCpus: 2 },
          MemoryInfo: { SizeInMiB: 4096 },
          ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
          NetworkInfo: { MaximumNetworkInterfaces: 3, Ipv4AddressesPerInterface: 6 },
        })),
      };
    },

    CreateTags(input: CreateTagsRequest): object {
      for (const tags of taggedResources(world, input.Resources ?? [])) {
        for (const { Key = '', Value = '' } of input.Tags ?? []) tags.set(Key, Value);
      }
      notifyChange(world);
      return {};
    },

    DeleteTags(input: DeleteTagsRequest): object {
      for (const tags of taggedResources(world, input.Resources ?? [])) {
        for (const { Key = '' } of input.Tags ?? []) tags.delete(Key);
      }
      notifyChange(world);
      return {};
    },
  };
}

function taggedResources(world: World, ids: readonly string[]): Map<string, string>[] {
  return ids.map((id) => {
    const resource =
      world.instances.get(id) ??
      world.network.securityGroups.get(id) ??
      world.network.subnets.find((subnet) => subnet.id === id);
    if (resource === undefined) throw new AwsError('InvalidID', `The ID '${id}' is not valid`);
    return resource.tags;
  });
}
