import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import type { PoolRef, SubnetFacts } from '../../core/model/pool.ts';
import { callEks } from './errors.ts';
import { type EksClients, poolSubject, requirePool } from './observe.ts';

/**
 * The subnets of a node group, in which its new instances start (EKS API reference, Nodegroup.subnets). What EC2 counts as available is without the
 * addresses of stopped instances and those that network interfaces have in reserve (EC2 API reference, Subnet.AvailableIpAddressCount).
 */
export async function findSubnets(clients: EksClients, ref: PoolRef): Promise<readonly SubnetFacts[]> {
  const { subnets: SubnetIds = [] } = (await requirePool(clients, ref)).nodegroup;
  if (SubnetIds.length === 0) return [];
  const { Subnets = [] } = await callEks('ec2:DescribeSubnets', poolSubject(ref), () =>
    clients.ec2.send(new DescribeSubnetsCommand({ SubnetIds })),
  );
  return Subnets.map(({ SubnetId = '', AvailabilityZone = '', CidrBlock = '', AvailableIpAddressCount: free = 0 }) => ({
    name: SubnetId,
    zone: AvailabilityZone,
    cidr: CidrBlock,
    free,
  })).toSorted((a, b) => (a.zone < b.zone ? -1 : 1));
}
