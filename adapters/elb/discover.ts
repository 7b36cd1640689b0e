import {
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  type ElasticLoadBalancingV2Client,
  type LoadBalancer,
  type TagDescription,
  type TargetGroup,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { NodeferryError } from '../../core/model/problem.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { TargetGroupFacts } from '../../core/model/target-group.ts';
import { callElb } from './errors.ts';
import { mapTargetGroup } from './map.ts';
import type { RateBudget } from './rate-budget.ts';

/** A target group without its targets: what changes rarely. */
export type TargetGroupFrame = Omit<TargetGroupFacts, 'targets'>;

/** What discovery reads with. */
export interface ElbReader {
  readonly client: ElasticLoadBalancingV2Client;
  readonly budget: RateBudget;
}

interface ServiceLoadBalancer {
  readonly service: string;
  readonly loadBalancer: LoadBalancer;
}

/** Tags by which controllers say which Service a load balancer is for (cloud-provider-aws; aws-load-balancer-controller). */
const serviceTags = ['kubernetes.io/service-name', 'service.k8s.aws/stack'] as const;

/** Most resources in one DescribeTags call (ELBv2 API reference). */
const tagsPerCall = 20;

/**
 * Target groups behind the Services of type LoadBalancer that have an address: found by hostname, confirmed by tag.
 * A Service that we could not protect is refused, never left out.
 * @throws ProviderRefused for an address that no ELBv2 load balancer has, one that no controller manages for the
 * Service, and target types other than `instance`.
 */
export async function discoverFrames(
  reader: ElbReader,
  services: readonly ServiceFacts[],
): Promise<readonly TargetGroupFrame[]> {
  const exposed = services.filter(({ type, hostnames }) => type === 'LoadBalancer' && hostnames.length > 0);
  if (exposed.length === 0) return [];
  const found = matchHostnames(exposed, await listLoadBalancers(reader));
  confirmByTags(found, await listTags(reader, found));
  const frames = await Promise.all(found.map((entry) => framesOf(reader, entry)));
  return frames.flat();
}

async function listLoadBalancers({ client, budget }: ElbReader): Promise<readonly LoadBalancer[]> {
  const all: LoadBalancer[] = [];
  let marker: string | undefined;
  do {
    await budget.take();
    const page = await callElb('elasticloadbalancing:DescribeLoadBalancers', 'load balancers', () =>
      client.send(new DescribeLoadBalancersCommand({ ...(marker !== undefined && { Marker: marker }) })),
    );
    all.push(...(page.LoadBalancers ?? []));
    marker = page.NextMarker;
  } while (marker !== undefined && marker !== '');
  return all;
}

function matchHostnames(services: readonly ServiceFacts[], all: readonly LoadBalancer[]): ServiceLoadBalancer[] {
  const byName = new Map(all.map((loadBalancer) => [loadBalancer.DNSName?.toLowerCase(), loadBalancer]));
  return services.flatMap(({ key, hostnames }) =>
    hostnames.map((hostname) => {
      const loadBalancer = byName.get(hostname.toLowerCase());
      if (loadBalancer !== undefined) return { service: key, loadBalancer };
      throw new NodeferryError({
        code: 'ProviderRefused',
        message: `service ${key}: no Application or Network Load Balancer of this account and region has the address ${hostname}`,
        hint:
          'Classic Load Balancers and load balancers of others are not supported: nodes would leave them unseen. ' +
          'Check the region, or move the Service to a Network Load Balancer.',
      });
    }),
  );
}

async function listTags(
  { client, budget }: ElbReader,
  found: readonly ServiceLoadBalancer[],
): Promise<readonly TagDescription[]> {
  const arns = [...new Set(found.map(({ loadBalancer }) => loadBalancer.LoadBalancerArn ?? ''))];
  const chunks = Array.from({ length: Math.ceil(arns.length / tagsPerCall) }, (_, index) =>
    arns.slice(index * tagsPerCall, (index + 1) * tagsPerCall),
  );
  const answers = await Promise.all(
    chunks.map(async (ResourceArns) => {
      await budget.take();
      return callElb('elasticloadbalancing:DescribeTags', 'load balancers', () =>
        client.send(new DescribeTagsCommand({ ResourceArns })),
      );
    }),
  );
  return answers.flatMap(({ TagDescriptions = [] }) => TagDescriptions);
}

/** Without a controller nobody would deregister an excluded node. */
function confirmByTags(found: readonly ServiceLoadBalancer[], descriptions: readonly TagDescription[]): void {
  const byArn = new Map(descriptions.map(({ ResourceArn, Tags = [] }) => [ResourceArn, Tags]));
  for (const { service, loadBalancer } of found) {
    const tags = byArn.get(loadBalancer.LoadBalancerArn) ?? [];
    const named = tags.filter(({ Key }) => serviceTags.some((tag) => tag === Key)).map(({ Value }) => Value);
    if (named.includes(service)) continue;
    const said = named.length === 0 ? 'no tag says that a controller manages it' : `its tags name ${named.join(', ')}`;
    throw new NodeferryError({
      code: 'ProviderRefused',
      message: `service ${service}: load balancer ${loadBalancer.LoadBalancerName} has its address, but ${said}`,
      hint: `Expected tag ${serviceTags.join(' or ')} with value ${service}; without its controller no node is deregistered.`,
    });
  }
}

async function framesOf(
  reader: ElbReader,
  { service, loadBalancer }: ServiceLoadBalancer,
): Promise<TargetGroupFrame[]> {
  const [loadBalancerAttributes, targetGroups] = await Promise.all([
    readLoadBalancerAttributes(reader, loadBalancer),
    listTargetGroups(reader, loadBalancer),
  ]);
  for (const targetGroup of targetGroups) requireInstanceTargets(service, targetGroup);
  return Promise.all(
    targetGroups.map(async (targetGroup) => {
      const targetGroupAttributes = await readTargetGroupAttributes(reader, targetGroup);
      return mapTargetGroup({ service, loadBalancer, loadBalancerAttributes, targetGroup, targetGroupAttributes });
    }),
  );
}

function requireInstanceTargets(service: string, { TargetGroupName, TargetType }: TargetGroup): void {
  if (TargetType === 'instance') return;
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `service ${service}: target group ${TargetGroupName} has targets of type ${TargetType}; only instance is supported`,
    hint: 'Nodes are no targets there, so steering them out protects nothing. Use instance targets for this Service.',
  });
}

async function readLoadBalancerAttributes({ client, budget }: ElbReader, loadBalancer: LoadBalancer) {
  await budget.take();
  const answer = await callElb(
    'elasticloadbalancing:DescribeLoadBalancerAttributes',
    `load balancer ${loadBalancer.LoadBalancerName}`,
    () => client.send(new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn: loadBalancer.LoadBalancerArn })),
  );
  return answer.Attributes ?? [];
}

async function listTargetGroups({ client, budget }: ElbReader, loadBalancer: LoadBalancer): Promise<TargetGroup[]> {
  const all: TargetGroup[] = [];
  let marker: string | undefined;
  do {
    await budget.take();
    const page = await callElb(
      'elasticloadbalancing:DescribeTargetGroups',
      `load balancer ${loadBalancer.LoadBalancerName}`,
      () =>
        client.send(
          new DescribeTargetGroupsCommand({
            LoadBalancerArn: loadBalancer.LoadBalancerArn,
            ...(marker !== undefined && { Marker: marker }),
          }),
        ),
    );
    all.push(...(page.TargetGroups ?? []));
    marker = page.NextMarker;
  } while (marker !== undefined && marker !== '');
  return all;
}

async function readTargetGroupAttributes({ client, budget }: ElbReader, group: TargetGroup) {
  await budget.take();
  const answer = await callElb(
    'elasticloadbalancing:DescribeTargetGroupAttributes',
    `target group ${group.TargetGroupName}`,
    () => client.send(new DescribeTargetGroupAttributesCommand({ TargetGroupArn: group.TargetGroupArn })),
  );
  return answer.Attributes ?? [];
}
