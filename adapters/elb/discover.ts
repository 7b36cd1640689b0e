import type { LoadBalancer, TagDescription, TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { TargetGroupBase } from '../../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../../core/model/unsupported-service.ts';
import type { Discovery } from '../../ports/load-balancers.ts';
import type { KnownAttributes } from './attributes.ts';
import { type ElbReader, listTags } from './describe.ts';
import { findLoadBalancers, findTargetGroups } from './find-behind.ts';
import { type Controller, mapTargetGroup } from './map.ts';

/** What discovery reads with. */
interface Discoverer {
  readonly reader: ElbReader;
  readonly attributes: KnownAttributes;
  /** Attributes read after this time (epoch ms) are not read again. */
  readonly since: number;
}

interface ServiceLoadBalancer {
  readonly service: string;
  readonly loadBalancer: LoadBalancer;
}

interface ManagedLoadBalancer extends ServiceLoadBalancer {
  readonly controller: Controller;
}

/** One step of discovery: what goes on to the next step, and what is unsupported. */
interface Partition<T extends ServiceLoadBalancer = ServiceLoadBalancer> {
  readonly found: readonly T[];
  readonly unsupported: readonly UnsupportedServiceFacts[];
}

/** Tags in which controllers record the Service that a load balancer is for (cloud-provider-aws; aws-load-balancer-controller). */
const controllerByTag: ReadonlyMap<string | undefined, Controller> = new Map([
  ['kubernetes.io/service-name', 'service-controller'],
  ['service.k8s.aws/stack', 'aws-load-balancer-controller'],
]);

/**
 * Target groups behind the Services of type LoadBalancer that have an address: found by hostname, confirmed by tag. A Service that can't be protected
 * is never left out: it is reported as unsupported, with the first of its reasons. For the Services in `beside`, only that is reported.
 */
export async function discoverTargetGroups(
  discoverer: Discoverer,
  services: readonly ServiceFacts[],
  beside: readonly ServiceFacts[] = [],
): Promise<Discovery> {
  const { reader } = discoverer;
  const exposed = [...services, ...beside].filter(
    ({ type, hostnames }) => type === 'LoadBalancer' && hostnames.length > 0,
  );
  if (exposed.length === 0) return { groups: [], unsupported: [] };
  const addresses = exposed.flatMap(({ hostnames }) => hostnames);
  const matched = matchHostnames(exposed, await findLoadBalancers(reader, addresses));
  const managed = confirmByTags(matched.found, await listTags(reader, arnsOf(matched.found)));
  const behind = await findTargetGroups(
    reader,
    managed.found.map(({ loadBalancer }) => loadBalancer),
  );
  const sorted = managed.found.map((entry) => sortByTargets(entry, behind));
  const wanted = new Set(services.map(({ key }) => key));
  const groups = await Promise.all(
    sorted.filter(({ service }) => wanted.has(service)).map(async (entry) => await targetGroupsOf(discoverer, entry)),
  );
  const unsupported = [matched, managed, ...sorted].flatMap((step) => step.unsupported);
  return { groups: groups.flat(), unsupported: firstOfEachService(unsupported) };
}

function arnsOf(entries: readonly ServiceLoadBalancer[]): readonly string[] {
  return [...new Set(entries.map(({ loadBalancer }) => loadBalancer.LoadBalancerArn ?? ''))];
}

/** The first fact about each Service. */
export function firstOfEachService(facts: readonly UnsupportedServiceFacts[]): readonly UnsupportedServiceFacts[] {
  return [...Map.groupBy(facts, ({ service }) => service).values()].flatMap((ofService) => ofService.slice(0, 1));
}

function matchHostnames(services: readonly ServiceFacts[], all: readonly LoadBalancer[]): Partition {
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
      'Classic Load Balancers and load balancers outside this account and region are not supported: whether a node is deregistered could not be observed. ' +
      'Check the region, or move the Service to a Network Load Balancer.',
  };
}

/** Without a controller, nobody would deregister an excluded node. */
function confirmByTags(
  entries: readonly ServiceLoadBalancer[],
  descriptions: readonly TagDescription[],
): Partition<ManagedLoadBalancer> {
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
  const said = named.length === 0 ? 'no tag names a controller that manages it' : `its tags name ${named.join(', ')}`;
  return {
    service,
    why: 'not-managed',
    detail: `load balancer ${loadBalancer.LoadBalancerName} has its address, but ${said}`,
    hint: `Expected tag ${[...controllerByTag.keys()].join(' or ')} with value ${service}; without its controller no node is deregistered.`,
  };
}

/**
 * The target groups of a load balancer that have nodes as targets, or pods: the AWS Load Balancer Controller registers and deregisters pods by their
 * addresses (docs/guide/service/nlb.md, IP mode). Others are unsupported.
 */
function sortByTargets(entry: ManagedLoadBalancer, behind: ReadonlyMap<string, readonly TargetGroup[]>) {
  const all = behind.get(entry.loadBalancer.LoadBalancerArn ?? '') ?? [];
  const isKnown = ({ TargetType }: TargetGroup) =>
    TargetType === 'instance' || (TargetType === 'ip' && entry.controller === 'aws-load-balancer-controller');
  const others = all.filter((group) => !isKnown(group));
  return {
    ...entry,
    groups: all.filter(isKnown),
    unsupported: others.length === 0 ? [] : [otherTargets(entry.service, others)],
  };
}

async function targetGroupsOf(
  { attributes, since }: Discoverer,
  { service, controller, loadBalancer, groups }: ManagedLoadBalancer & { readonly groups: readonly TargetGroup[] },
): Promise<readonly TargetGroupBase[]> {
  if (groups.length === 0) return [];
  const ofLoadBalancer = attributes.ofLoadBalancer(loadBalancer, since);
  const ofGroups = groups.map((targetGroup) => attributes.ofTargetGroup(targetGroup, since));
  const [loadBalancerAttributes, ...ownAttributes] = await Promise.all([ofLoadBalancer, ...ofGroups]);
  return groups.map((targetGroup, index) => {
    const targetGroupAttributes = ownAttributes[index] ?? [];
    return mapTargetGroup({
      service,
      controller,
      loadBalancer,
      targetGroup,
      loadBalancerAttributes,
      targetGroupAttributes,
    });
  });
}

function otherTargets(service: string, groups: readonly TargetGroup[]): UnsupportedServiceFacts {
  const named = groups.map(({ TargetGroupName, TargetType }) => `${TargetGroupName} has targets of type ${TargetType}`);
  return {
    service,
    why: 'other-targets',
    detail: `target group ${named.join(', ')}; only instance is supported, and ip with the AWS Load Balancer Controller`,
    hint: 'Neither nodes nor pods that somebody deregisters are targets there. Use instance targets for this Service, or let the AWS Load Balancer Controller make its load balancer.',
  };
}
