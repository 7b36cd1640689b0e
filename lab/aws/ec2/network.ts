import { nextHost } from '../../next-host.ts';
import { randomHex } from '../random.ts';
import type { World } from '../world.ts';
import type { Network, SecurityGroup, Subnet } from './state.ts';

/**
 * A VPC with one public subnet per zone and one security group, tagged as the AWS cloud provider looks for them:
 * `kubernetes.io/cluster/<name>` and `kubernetes.io/role/elb` (EKS user guide, "View Amazon EKS networking
 * requirements"; kubernetes/cloud-provider-aws pkg/providers/v1/aws.go, findELBSubnets).
 */
export function createNetwork(random: () => number, zones: readonly string[], clusterName: string): Network {
  const owned = (): Map<string, string> => new Map([[`kubernetes.io/cluster/${clusterName}`, 'owned']]);
  const group: SecurityGroup = {
    id: `sg-${randomHex(random, 17)}`,
    name: `eks-cluster-sg-${clusterName}`,
    description: 'EKS created security group applied to ENI that is attached to EKS Control Plane master nodes.',
    tags: owned(),
    rules: [],
  };
  return {
    vpcId: `vpc-${randomHex(random, 17)}`,
    cidr: '10.0.0.0/16',
    subnets: zones.map((zone, index) => ({
      id: `subnet-${randomHex(random, 17)}`,
      zone,
      cidr: `10.0.${index + 1}.0/24`,
      tags: owned().set('kubernetes.io/role/elb', '1').set('Name', `${clusterName}-${zone}`),
    })),
    routeTableId: `rtb-${randomHex(random, 17)}`,
    internetGatewayId: `igw-${randomHex(random, 17)}`,
    securityGroups: new Map([[group.id, group]]),
    lastHost: new Map(),
    lastVip: 0,
  };
}

/** The next free address of a subnet. A freed address is reused only when all others have been used. */
export function takeAddress(world: World, subnet: Subnet): string {
  const prefix = subnet.cidr.replace(/\d+\/\d+$/, '');
  const used = new Set([...world.instances.values()].filter((i) => i.state !== 'terminated').map((i) => i.privateIp));
  const host = nextHost(world.network.lastHost.get(subnet.id), (one) => used.has(`${prefix}${one}`));
  if (host === undefined) throw new Error(`subnet ${subnet.id} has no free address`);
  world.network.lastHost.set(subnet.id, host);
  return `${prefix}${host}`;
}

/** The next address for a load balancer. These addresses are outside the subnets: the lab routes them to one place. */
export function takeVip(world: World): string {
  const used = new Set([...world.loadBalancers.values()].flatMap((lb) => lb.zones.map((zone) => zone.vip)));
  do {
    world.network.lastVip = (world.network.lastVip % 250) + 1;
  } while (used.has(`10.0.200.${world.network.lastVip}`));
  return `10.0.200.${world.network.lastVip}`;
}
