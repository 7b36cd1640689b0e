import type {
  AuthorizeSecurityGroupIngressRequest,
  CreateSecurityGroupRequest,
  CreateSecurityGroupResult,
  DeleteSecurityGroupRequest,
  DescribeSecurityGroupsRequest,
  DescribeSecurityGroupsResult,
  IpPermission,
  RevokeSecurityGroupIngressRequest,
} from '@aws-sdk/client-ec2';
import { AwsError } from '../codec/errors.ts';
import { pageOf } from '../paging.ts';
import { randomHex } from '../random.ts';
import { ACCOUNT_ID, notifyChange, type World } from '../world.ts';
import { matchesFilters, tagList } from './filters.ts';
import type { SecurityGroup, SecurityGroupRule } from './state.ts';

/** A request groups sources by protocol and ports; here every source is a rule of its own. */
function rulesOf(permissions: readonly IpPermission[] | undefined): SecurityGroupRule[] {
  return (permissions ?? []).flatMap((permission) => {
    const ports = { protocol: permission.IpProtocol ?? '-1', fromPort: permission.FromPort, toPort: permission.ToPort };
    return [
      ...(permission.IpRanges ?? []).map(({ CidrIp = '', Description }) => ({
        ...ports,
        source: { cidr: CidrIp, ...(Description !== undefined && { description: Description }) },
      })),
      ...(permission.UserIdGroupPairs ?? []).map(({ GroupId = '' }) => ({ ...ports, source: { groupId: GroupId } })),
    ];
  });
}

/** Two rules are the same whatever their descriptions say (EC2 API reference, AuthorizeSecurityGroupIngress). */
function ruleKey({ protocol, fromPort, toPort, source }: SecurityGroupRule): string {
  return [protocol, fromPort, toPort, 'cidr' in source ? source.cidr : source.groupId].join(' ');
}

function permissionsOf(rules: readonly SecurityGroupRule[]): IpPermission[] {
  const byPorts = Map.groupBy(rules, (rule) => [rule.protocol, rule.fromPort, rule.toPort].join(' '));
  return [...byPorts.values()].map((same) => ({
    IpProtocol: same[0]?.protocol,
    FromPort: same[0]?.fromPort,
    ToPort: same[0]?.toPort,
    IpRanges: same.flatMap(({ source }) =>
      'cidr' in source ? [{ CidrIp: source.cidr, Description: source.description }] : [],
    ),
    UserIdGroupPairs: same.flatMap(({ source }) =>
      'groupId' in source ? [{ GroupId: source.groupId, UserId: ACCOUNT_ID }] : [],
    ),
  }));
}

/** EC2 operations on security groups. The lab's network doesn't enforce them. */
export function securityGroupHandlers(world: World) {
  const { vpcId, securityGroups } = world.network;

  function requireGroup(id: string | undefined): SecurityGroup {
    const group = securityGroups.get(id ?? '');
    if (group === undefined) {
      throw new AwsError('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
    }
    return group;
  }

  return {
    DescribeSecurityGroups(input: DescribeSecurityGroupsRequest): DescribeSecurityGroupsResult {
      const chosen = input.GroupIds?.map(requireGroup) ?? [...securityGroups.values()];
      const found = chosen.filter((group) =>
        matchesFilters(
          { tags: group.tags, values: { 'group-id': [group.id], 'group-name': [group.name], 'vpc-id': [vpcId] } },
          input.Filters,
        ),
      );
      const page = pageOf(found, input.NextToken, input.MaxResults ?? 1000, 'InvalidNextToken');
      return {
        NextToken: page.nextToken,
        SecurityGroups: page.items.map((group) => ({
          GroupId: group.id,
          GroupName: group.name,
          Description: group.description,
          VpcId: vpcId,
          OwnerId: ACCOUNT_ID,
          IpPermissions: permissionsOf(group.rules),
          Tags: tagList(group.tags),
        })),
      };
    },

    CreateSecurityGroup(input: CreateSecurityGroupRequest): CreateSecurityGroupResult {
      const name = input.GroupName ?? '';
      if ([...securityGroups.values()].some((group) => group.name === name)) {
        throw new AwsError('InvalidGroup.Duplicate', `The security group '${name}' already exists for VPC '${vpcId}'`);
      }
      const tags = (input.TagSpecifications ?? []).flatMap((specification) => specification.Tags ?? []);
      const group: SecurityGroup = {
        id: `sg-${randomHex(world.random, 17)}`,
        name,
        description: input.Description ?? '',
        tags: new Map(tags.map(({ Key = '', Value = '' }) => [Key, Value])),
        rules: [],
      };
      securityGroups.set(group.id, group);
      notifyChange(world);
      return { GroupId: group.id, Tags: tagList(group.tags) };
    },

    DeleteSecurityGroup(input: DeleteSecurityGroupRequest): object {
      const group = requireGroup(input.GroupId);
      const used = [...world.loadBalancers.values()].some((lb) => lb.securityGroups.includes(group.id));
      if (used) throw new AwsError('DependencyViolation', `resource ${group.id} has a dependent object`);
      securityGroups.delete(group.id);
      notifyChange(world);
      return {};
    },

    AuthorizeSecurityGroupIngress(input: AuthorizeSecurityGroupIngressRequest): object {
      const group = requireGroup(input.GroupId);
      const added = rulesOf(input.IpPermissions);
      const known = new Set(group.rules.map(ruleKey));
      const twice = added.find((rule) => known.has(ruleKey(rule)));
      if (twice !== undefined) {
        throw new AwsError('InvalidPermission.Duplicate', `the specified rule "${ruleKey(twice)}" already exists`);
      }
      group.rules = [...group.rules, ...added];
      notifyChange(world);
      return { Return: true };
    },

    RevokeSecurityGroupIngress(input: RevokeSecurityGroupIngressRequest): object {
      const group = requireGroup(input.GroupId);
      const removed = new Set(rulesOf(input.IpPermissions).map(ruleKey));
      group.rules = group.rules.filter((rule) => !removed.has(ruleKey(rule)));
      notifyChange(world);
      return { Return: true };
    },
  };
}
