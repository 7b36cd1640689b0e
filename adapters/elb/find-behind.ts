import type { LoadBalancer, TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import { type ElbReader, listLoadBalancers, listTargetGroups, maxPerCall } from './describe.ts';
import { isNotThere } from './errors.ts';

/** Up to this many load balancers are asked for their target groups one by one. Beyond that, listing the account costs fewer calls. */
const maxAskedOneByOne = 4;

/**
 * Load balancers that may have these addresses, possibly among others. They are requested by name when the addresses contain the names and one call
 * suffices. Otherwise, and when one of the names does not exist, the account is listed, 400 per page.
 */
export async function findLoadBalancers(
  reader: ElbReader,
  hostnames: readonly string[],
): Promise<readonly LoadBalancer[]> {
  const names = [...new Set(hostnames.map(nameIn))];
  const told = names.filter((name) => name !== undefined);
  if (told.length < names.length || told.length > maxPerCall) return await listLoadBalancers(reader);
  try {
    return await listLoadBalancers(reader, told);
  } catch (error) {
    if (!isNotThere(error)) throw error;
    return await listLoadBalancers(reader);
  }
}

/**
 * The name within an address that AWS generated: `NAME-ID.elb.REGION.amazonaws.com` (Network Load Balancer) or
 * `[internal-]NAME-ID.REGION.elb.amazonaws.com` (Application Load Balancer). No name begins with `internal-` (ELBv2 API reference,
 * CreateLoadBalancer). Undefined for addresses of any other form. The name is only used to find the load balancer; the address in the response
 * decides.
 */
export function nameIn(hostname: string): string | undefined {
  const form =
    /^(?:internal-)?([a-z0-9-]{1,32})-[a-z0-9]+\.(?:elb\.[a-z0-9-]+|[a-z0-9-]+\.elb)\.amazonaws\.com(?:\.cn)?$/i;
  return form.exec(hostname)?.[1];
}

/** Target groups behind each load balancer, by its ARN. */
export async function findTargetGroups(
  reader: ElbReader,
  loadBalancers: readonly LoadBalancer[],
): Promise<ReadonlyMap<string, readonly TargetGroup[]>> {
  const unique = [...new Map(loadBalancers.map((one) => [one.LoadBalancerArn ?? '', one]))];
  if (unique.length <= maxAskedOneByOne) {
    return new Map(
      await Promise.all(unique.map(async ([arn, one]) => [arn, await listTargetGroups(reader, one)] as const)),
    );
  }
  const all = await listTargetGroups(reader);
  return new Map(
    unique.map(([arn]) => [arn, all.filter(({ LoadBalancerArns = [] }) => LoadBalancerArns.includes(arn))]),
  );
}
