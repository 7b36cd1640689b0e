import type {
  DescribeAvailabilityZonesRequest,
  DescribeAvailabilityZonesResult,
  DescribeRouteTablesRequest,
  DescribeRouteTablesResult,
  DescribeSubnetsRequest,
  DescribeSubnetsResult,
  DescribeVpcsRequest,
  DescribeVpcsResult,
} from '@aws-sdk/client-ec2';
import { AwsError } from '../codec/errors.ts';
import { pageOf } from '../paging.ts';
import { ACCOUNT_ID, type World } from '../world.ts';
import { matchesFilters, tagList } from './filters.ts';

/** EC2 operations on the network, which never changes. */
export function networkHandlers(world: World) {
  const { network, region } = world;
  const zoneId = (zone: string) =>
    `${region.replace(/^(\w\w)-(\w).*-(\d)$/, '$1$2$3')}-az${world.zones.indexOf(zone) + 1}`;
  return {
    DescribeVpcs(input: DescribeVpcsRequest): DescribeVpcsResult {
      for (const id of input.VpcIds ?? []) {
        if (id !== network.vpcId) throw new AwsError('InvalidVpcID.NotFound', `The vpc ID '${id}' does not exist`);
      }
      const known = { tags: new Map<string, string>(), values: { 'vpc-id': [network.vpcId], cidr: [network.cidr] } };
      if (!matchesFilters(known, input.Filters)) return { Vpcs: [] };
      const associations = [{ CidrBlock: network.cidr, CidrBlockState: { State: 'associated' as const } }];
      return {
        Vpcs: [
          {
            VpcId: network.vpcId,
            CidrBlock: network.cidr,
            State: 'available',
            OwnerId: ACCOUNT_ID,
            IsDefault: false,
            CidrBlockAssociationSet: associations,
          },
        ],
      };
    },

    DescribeSubnets(input: DescribeSubnetsRequest): DescribeSubnetsResult {
      for (const id of input.SubnetIds ?? []) {
        if (!network.subnets.some((subnet) => subnet.id === id)) {
          throw new AwsError('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
        }
      }
      const found = network.subnets.filter(
        (subnet) =>
          (input.SubnetIds ?? [subnet.id]).includes(subnet.id) &&
          matchesFilters(
            {
              tags: subnet.tags,
              values: {
                'subnet-id': [subnet.id],
                'vpc-id': [network.vpcId],
                'availability-zone': [subnet.zone],
                availabilityZone: [subnet.zone],
                state: ['available'],
              },
            },
            input.Filters,
          ),
      );
      const page = pageOf(found, input.NextToken, input.MaxResults ?? 1000, 'InvalidNextToken');
      return {
        NextToken: page.nextToken,
        Subnets: page.items.map((subnet) => ({
          SubnetId: subnet.id,
          VpcId: network.vpcId,
          CidrBlock: subnet.cidr,
          AvailabilityZone: subnet.zone,
          AvailabilityZoneId: zoneId(subnet.zone),
          State: 'available',
          AvailableIpAddressCount:
            251 -
            [...world.instances.values()].filter((i) => i.subnetId === subnet.id && i.state !== 'terminated').length,
          MapPublicIpOnLaunch: true,
          OwnerId: ACCOUNT_ID,
          SubnetArn: `arn:aws:ec2:${region}:${ACCOUNT_ID}:subnet/${subnet.id}`,
          Tags: tagList(subnet.tags),
        })),
      };
    },

    DescribeRouteTables(input: DescribeRouteTablesRequest): DescribeRouteTablesResult {
      const subnetIds = network.subnets.map((subnet) => subnet.id);
      const known = {
        tags: new Map<string, string>(),
        values: {
          'vpc-id': [network.vpcId],
          'association.subnet-id': subnetIds,
          'association.main': ['true'],
          'route-table-id': [network.routeTableId],
        },
      };
      if (!matchesFilters(known, input.Filters)) return { RouteTables: [] };
      const association = (id: string, more: object) => ({
        RouteTableAssociationId: id,
        RouteTableId: network.routeTableId,
        AssociationState: { State: 'associated' as const },
        ...more,
      });
      return {
        RouteTables: [
          {
            RouteTableId: network.routeTableId,
            VpcId: network.vpcId,
            OwnerId: ACCOUNT_ID,
            Tags: [],
            Associations: [
              association('rtbassoc-main', { Main: true }),
              ...subnetIds.map((id) => association(id.replace('subnet-', 'rtbassoc-'), { Main: false, SubnetId: id })),
            ],
            Routes: [
              { DestinationCidrBlock: network.cidr, GatewayId: 'local', State: 'active', Origin: 'CreateRouteTable' },
              {
                DestinationCidrBlock: '0.0.0.0/0',
                GatewayId: network.internetGatewayId,
                State: 'active',
                Origin: 'CreateRoute',
              },
            ],
          },
        ],
      };
    },

    DescribeAvailabilityZones(input: DescribeAvailabilityZonesRequest): DescribeAvailabilityZonesResult {
      const found = world.zones.filter(
        (zone) =>
          (input.ZoneNames ?? [zone]).includes(zone) &&
          matchesFilters(
            {
              tags: new Map(),
              values: {
                'zone-name': [zone],
                'region-name': [region],
                'zone-type': ['availability-zone'],
                state: ['available'],
                'zone-id': [zoneId(zone)],
              },
            },
            input.Filters,
          ),
      );
      return {
        AvailabilityZones: found.map((zone) => ({
          ZoneName: zone,
          ZoneId: zoneId(zone),
          ZoneType: 'availability-zone',
          RegionName: region,
          State: 'available',
          OptInStatus: 'opt-in-not-required',
        })),
      };
    },
  };
}
