import {
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  type DescribeLoadBalancersCommandInput,
  DescribeTagsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  type ElasticLoadBalancingV2Client,
  type LoadBalancer,
  type LoadBalancerAttribute,
  type TagDescription,
  type TargetGroup,
  type TargetGroupAttribute,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { TargetFacts } from '../../core/model/target-group.ts';
import type { RateLimiter } from '../calls/rate-limiter.ts';
import { callElb, isNotThere } from './errors.ts';
import { mapTarget } from './map.ts';

/** What calls are made with. All of them respect the rate limiter; for `readTargetHealth` the caller does that. */
export interface ElbReader {
  readonly client: ElasticLoadBalancingV2Client;
  readonly limiter: RateLimiter;
}

/** Maximum number of resources in one DescribeTags call, and of load balancers in one DescribeLoadBalancers call (ELBv2 API reference). */
export const maxPerCall = 20;

/** Maximum number of entries on one page (ELBv2 API reference, DescribeLoadBalancers and DescribeTargetGroups). */
const pageSize = 400;

/** The load balancers with these names, at most {@link maxPerCall}; without names, all of the account. */
export async function listLoadBalancers(
  reader: ElbReader,
  names?: readonly string[],
): Promise<readonly LoadBalancer[]> {
  if (names === undefined) return await readLoadBalancers(reader, { PageSize: pageSize }, 'load balancers');
  return await readLoadBalancers(reader, { Names: [...names] }, `load balancers ${names.join(', ')}`);
}

/** The load balancers with these ARNs. */
export async function listLoadBalancersByArn(
  reader: ElbReader,
  arns: readonly string[],
): Promise<readonly LoadBalancer[]> {
  const read = chunksOf(arns).map(
    async (LoadBalancerArns) => await readLoadBalancers(reader, { LoadBalancerArns }, 'load balancers'),
  );
  return (await Promise.all(read)).flat();
}

async function readLoadBalancers(
  { client, limiter }: ElbReader,
  asked: DescribeLoadBalancersCommandInput,
  about: string,
): Promise<readonly LoadBalancer[]> {
  return await readPages(async (marker) => {
    await limiter.acquire();
    const page = await callElb('elasticloadbalancing:DescribeLoadBalancers', about, () =>
      client.send(new DescribeLoadBalancersCommand({ ...asked, ...marker })),
    );
    return { items: page.LoadBalancers, next: page.NextMarker };
  });
}

/** The target groups behind one load balancer; without one, all of the account. */
export async function listTargetGroups(
  { client, limiter }: ElbReader,
  loadBalancer?: LoadBalancer,
): Promise<readonly TargetGroup[]> {
  const asked = loadBalancer === undefined ? {} : { LoadBalancerArn: loadBalancer.LoadBalancerArn };
  const about = loadBalancer === undefined ? 'target groups' : `load balancer ${loadBalancer.LoadBalancerName}`;
  return await readPages(async (marker) => {
    await limiter.acquire();
    const page = await callElb('elasticloadbalancing:DescribeTargetGroups', about, () =>
      client.send(new DescribeTargetGroupsCommand({ ...asked, PageSize: pageSize, ...marker })),
    );
    return { items: page.TargetGroups, next: page.NextMarker };
  });
}

/** The target groups with these ARNs that exist. One that does not exist makes a call fail for all of them, so they are asked for one by one then. */
export async function listTargetGroupsByArn(
  reader: ElbReader,
  arns: readonly string[],
): Promise<readonly TargetGroup[]> {
  const read = chunksOf(arns).map(async (chunk): Promise<readonly TargetGroup[]> => {
    try {
      return await readTargetGroups(reader, chunk);
    } catch (error) {
      if (!isNotThere(error)) throw error;
      return chunk.length === 1
        ? []
        : (await Promise.all(chunk.map(async (arn) => await listTargetGroupsByArn(reader, [arn])))).flat();
    }
  });
  return (await Promise.all(read)).flat();
}

async function readTargetGroups(
  { client, limiter }: ElbReader,
  arns: readonly string[],
): Promise<readonly TargetGroup[]> {
  return await readPages(async (marker) => {
    await limiter.acquire();
    const page = await callElb('elasticloadbalancing:DescribeTargetGroups', 'target groups', () =>
      client.send(new DescribeTargetGroupsCommand({ TargetGroupArns: [...arns], ...marker })),
    );
    return { items: page.TargetGroups, next: page.NextMarker };
  });
}

function chunksOf(arns: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(arns.length / maxPerCall) }, (_, index) =>
    arns.slice(index * maxPerCall, (index + 1) * maxPerCall),
  );
}

async function readPages<T>(
  read: (
    marker: { readonly Marker: string } | undefined,
  ) => Promise<{ readonly items: readonly T[] | undefined; readonly next: string | undefined }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let marker: string | undefined;
  do {
    const { items = [], next } = await read(marker === undefined ? undefined : { Marker: marker });
    all.push(...items);
    marker = next;
  } while (marker !== undefined && marker !== '');
  return all;
}

/** Tags of the load balancers with these ARNs. */
export async function listTags(
  { client, limiter }: ElbReader,
  arns: readonly string[],
): Promise<readonly TagDescription[]> {
  const answers = await Promise.all(
    chunksOf(arns).map(async (ResourceArns) => {
      await limiter.acquire();
      return await callElb('elasticloadbalancing:DescribeTags', 'load balancers', () =>
        client.send(new DescribeTagsCommand({ ResourceArns })),
      );
    }),
  );
  return answers.flatMap(({ TagDescriptions = [] }) => TagDescriptions);
}

/** The attributes of a load balancer. */
export async function readLoadBalancerAttributes(
  { client, limiter }: ElbReader,
  { LoadBalancerArn, LoadBalancerName }: LoadBalancer,
): Promise<readonly LoadBalancerAttribute[]> {
  await limiter.acquire();
  const answer = await callElb(
    'elasticloadbalancing:DescribeLoadBalancerAttributes',
    `load balancer ${LoadBalancerName}`,
    () => client.send(new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn })),
  );
  return answer.Attributes ?? [];
}

/** The attributes of a target group. */
export async function readTargetGroupAttributes(
  { client, limiter }: ElbReader,
  { TargetGroupArn, TargetGroupName }: TargetGroup,
): Promise<readonly TargetGroupAttribute[]> {
  await limiter.acquire();
  const answer = await callElb(
    'elasticloadbalancing:DescribeTargetGroupAttributes',
    `target group ${TargetGroupName}`,
    () => client.send(new DescribeTargetGroupAttributesCommand({ TargetGroupArn })),
  );
  return answer.Attributes ?? [];
}

/** The targets of the group with that ARN, for a caller that holds a ticket. One group per call: the API has no other way. */
export async function readTargetHealth(
  client: ElasticLoadBalancingV2Client,
  arn: string,
): Promise<readonly TargetFacts[]> {
  const answer = await callElb('elasticloadbalancing:DescribeTargetHealth', `target group ${arn}`, () =>
    client.send(new DescribeTargetHealthCommand({ TargetGroupArn: arn })),
  );
  return (answer.TargetHealthDescriptions ?? []).map(mapTarget);
}
