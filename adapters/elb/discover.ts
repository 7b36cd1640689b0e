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
import type { ServiceFacts } from '../../core/model/service.ts';
import type { TargetGroupFacts } from '../../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../../core/model/unsupported-service.ts';
import { callElb } from './errors.ts';
import { mapTargetGroup } from './map.ts';
import type { RateBudget } from './rate-budget.ts';

/** A target group without its targets: what changes rarely. */
export type TargetGroupFrame = Omit<TargetGroupFacts, 'targets'>;

/** Frames behind Services of type LoadBalancer, and the Services with something behind them that is no frame. */
export interface DiscoveredFrames {
  readonly frames: readonly TargetGroupFrame[];
  /** At most one entry per Service. */
  readonly unsupported: readonly UnsupportedServiceFacts[];
}

/** What discovery reads with. */
export interface ElbReader {
  readonly client: ElasticLoadBalancingV2Client;
  readonly budget: RateBudget;
}

interface ServiceLoadBalancer {
  readonly service: string;
  readonly loadBalancer: LoadBalancer;
}

interface ManagedLoadBalancer extends ServiceLoadBalancer {
  readonly controller: TargetGroupFacts['controller'];
}

/** One step of discovery: what goes on to the next, and what does not. */
interface Sifted<T extends ServiceLoadBalancer = ServiceLoadBalancer> {
  readonly found: readonly T[];
  readonly unsupported: readonly UnsupportedServiceFacts[];
}

/** Tags by which controllers say which Service a load balancer is for (cloud-provider-aws; aws-load-balancer-controller). */
const controllerByTag: ReadonlyMap<string | undefined, TargetGroupFacts['controller']> = new Map([
  ['kubernetes.io/service-name', 'service-controller'],
  ['service.k8s.aws/stack', 'aws-load-balancer-controller'],
]);

/** Most resources in one DescribeTags call (ELBv2 API reference). */
const tagsPerCall = 20;

/**
 * Target groups behind the Services of type LoadBalancer that have an address: found by hostname, confirmed by tag. A Service that
 * we can't protect is never left out: it is told as unsupported, with the first of its reasons.
 */
export async function discoverFrames(reader: ElbReader, services: readonly ServiceFacts[]): Promise<DiscoveredFrames> {
  const exposed = services.filter(({ type, hostnames }) => type === 'LoadBalancer' && hostnames.length > 0);
  if (exposed.length === 0) return { frames: [], unsupported: [] };
  const matched = matchHostnames(exposed, await listLoadBalancers(reader));
  const managed = confirmByTags(matched.found, await listTags(reader, matched.found));
  const read = await Promise.all(managed.found.map((entry) => framesOf(reader, entry)));
  const unsupported = [matched, managed, ...read].flatMap((step) => step.unsupported);
  return { frames: read.flatMap(({ frames }) => frames), unsupported: firstOfEachService(unsupported) };
}

function firstOfEachService(facts: readonly UnsupportedServiceFacts[]): readonly UnsupportedServiceFacts[] {
  return [...Map.groupBy(facts, ({ service }) => service).values()].flatMap((ofService) => ofService.slice(0, 1));
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

function matchHostnames(services: readonly ServiceFacts[], all: readonly LoadBalancer[]): Sifted {
  const byName = new Map(all.map((loadBalancer) => [loadBalancer.DNSName?.toLowerCase(), loadBalancer]));
  const found: ServiceLoadBalancer[] = [];
  const unsupported: UnsupportedServiceFacts[] = [];
  for (const { key, hostnames } of services) {
    for (const hostname of hostnames) {
      const loadBalancer = byName.get(hostname.toLowerCase());
      if (loadBalancer === undefined) unsupported.push(unknownLoadBalancer(key, hostname));
      else found.push({ service: key, loadBalancer });
    }
  }
  return { found, unsupported };
}

function unknownLoadBalancer(service: string, hostname: string): UnsupportedServiceFacts {
  return {
    service,
    why: 'unknown-load-balancer',
    detail: `no Application or Network Load Balancer of this account and region has the address ${hostname}`,
    hint:
      'Classic Load Balancers and load balancers of others are not supported: nodes would leave them unseen. ' +
      'Check the region, or move the Service to a Network Load Balancer.',
  };
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
function confirmByTags(
  entries: readonly ServiceLoadBalancer[],
  descriptions: readonly TagDescription[],
): Sifted<ManagedLoadBalancer> {
  const byArn = new Map(descriptions.map(({ ResourceArn, Tags = [] }) => [ResourceArn, Tags]));
  const found: ManagedLoadBalancer[] = [];
  const unsupported: UnsupportedServiceFacts[] = [];
  for (const entry of entries) {
    const tags = (byArn.get(entry.loadBalancer.LoadBalancerArn) ?? []).filter(({ Key }) => controllerByTag.has(Key));
    const own = tags.find(({ Value }) => Value === entry.service);
    const controller = controllerByTag.get(own?.Key);
    if (controller !== undefined) found.push({ ...entry, controller });
    else
      unsupported.push(
        notManaged(
          entry,
          tags.map(({ Value }) => Value ?? ''),
        ),
      );
  }
  return { found, unsupported };
}

function notManaged({ service, loadBalancer }: ServiceLoadBalancer, named: readonly string[]): UnsupportedServiceFacts {
  const said = named.length === 0 ? 'no tag says that a controller manages it' : `its tags name ${named.join(', ')}`;
  return {
    service,
    why: 'not-managed',
    detail: `load balancer ${loadBalancer.LoadBalancerName} has its address, but ${said}`,
    hint: `Expected tag ${[...controllerByTag.keys()].join(' or ')} with value ${service}; without its controller no node is deregistered.`,
  };
}

async function framesOf(reader: ElbReader, entry: ManagedLoadBalancer): Promise<DiscoveredFrames> {
  const { service, loadBalancer, controller } = entry;
  const targetGroups = await listTargetGroups(reader, loadBalancer);
  const supported = targetGroups.filter(({ TargetType }) => TargetType === 'instance');
  const others = targetGroups.filter(({ TargetType }) => TargetType !== 'instance');
  const unsupported = others.length === 0 ? [] : [otherTargets(service, others)];
  if (supported.length === 0) return { frames: [], unsupported };
  const loadBalancerAttributes = await readLoadBalancerAttributes(reader, loadBalancer);
  const frames = await Promise.all(
    supported.map(async (targetGroup) => {
      const targetGroupAttributes = await readTargetGroupAttributes(reader, targetGroup);
      const attributes = { loadBalancerAttributes, targetGroupAttributes };
      return mapTargetGroup({ service, controller, loadBalancer, targetGroup, ...attributes });
    }),
  );
  return { frames, unsupported };
}

function otherTargets(service: string, groups: readonly TargetGroup[]): UnsupportedServiceFacts {
  const named = groups.map(({ TargetGroupName, TargetType }) => `${TargetGroupName} has targets of type ${TargetType}`);
  return {
    service,
    why: 'other-targets',
    detail: `target group ${named.join(', ')}; only instance is supported`,
    hint: 'Nodes are no targets there, so steering them out protects nothing. Use instance targets for this Service.',
  };
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
