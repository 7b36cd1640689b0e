import type { compute_v1 } from '@googleapis/compute';
import type { ServiceFacts } from '../../../core/model/service.ts';
import type { TargetGroupBase, TargetGroupFacts } from '../../../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../../../core/model/unsupported-service.ts';
import type { Discovery } from '../../../ports/load-balancers.ts';
import { canonicalAddress } from './address.ts';
import { isFor, isOfIngressGce } from './descriptions.ts';
import type { Discoverer } from './discoverer.ts';
import { backendService, targetPool } from './kinds.ts';
import { mapHealthCheck } from './map.ts';
import { nameIn, parsePath } from './paths.ts';
import { listForwardingRules, listZones, readTargetPool } from './read.ts';
import { backendServiceSettings, reachesAllZones, targetPoolSettings } from './settings.ts';

type Rule = compute_v1.Schema$ForwardingRule;

/** A forwarding rule that leads to something with nodes as its members. */
interface Match {
  readonly service: ServiceFacts;
  readonly rule: Rule;
}

/**
 * Target pools and backend services behind the Services of type LoadBalancer that have an address: found by the address, confirmed by the description of
 * the forwarding rule. A Service that can't be protected is never left out: it is reported as unsupported, with the first of its reasons. For the
 * Services in `beside`, only that is reported.
 */
export async function discoverGroups(
  discoverer: Discoverer,
  services: readonly ServiceFacts[],
  beside: readonly ServiceFacts[] = [],
): Promise<Discovery> {
  const exposed = [...services, ...beside].filter(
    ({ type, hostnames }) => type === 'LoadBalancer' && hostnames.length > 0,
  );
  if (exposed.length === 0) return { groups: [], unsupported: [] };
  const rules = await listForwardingRules(discoverer.reader);
  const judged = exposed.flatMap((service) => matchService(service, rules));
  const wanted = new Set(services.map(({ key }) => key));
  const matches = onePerBackend(judged.filter((one): one is Match => 'rule' in one && wanted.has(one.service.key)));
  const zones = matches.length === 0 ? [] : await listZones(discoverer.reader);
  const unsupported = judged.filter((one): one is UnsupportedServiceFacts => 'why' in one);
  return {
    groups: await Promise.all(matches.map(async (match) => await readGroup(discoverer, match, zones))),
    unsupported: [...Map.groupBy(unsupported, ({ service }) => service).values()].flatMap((all) => all.slice(0, 1)),
  };
}

function matchService(service: ServiceFacts, rules: readonly Rule[]): (Match | UnsupportedServiceFacts)[] {
  return service.hostnames.flatMap((address): (Match | UnsupportedServiceFacts)[] => {
    const canonical = canonicalAddress(address);
    const there = rules.filter(({ IPAddress }) => canonicalAddress(IPAddress) === canonical);
    const [first] = there;
    if (first === undefined) return [unknownLoadBalancer(service.key, address)];
    // Others may have the address too: that of another Service with another protocol or other ports (load balancing documentation, "Internal passthrough
    // Network Load Balancer forwarding rules that use a common IP address"), or one in another network of the project.
    const own = there.filter(({ description }) => isFor(service.key, description));
    return own.length === 0 ? [notManaged(service.key, first)] : own.map((rule) => judgeRule(service, rule));
  });
}

function judgeRule(service: ServiceFacts, rule: Rule): Match | UnsupportedServiceFacts {
  // Only passthrough load balancers have nodes behind them (load balancing documentation, "Forwarding rules overview"); the others are proxies.
  const passesThrough = rule.loadBalancingScheme === 'EXTERNAL' || rule.loadBalancingScheme === 'INTERNAL';
  const path = backendPath(rule);
  const known = path.includes('/targetPools/') || path.includes('/backendServices/');
  return passesThrough && known ? { service, rule } : otherTargets(service.key, rule);
}

/** What is behind the rule: the path of a backend service or a target pool. */
function backendPath({ backendService, target }: Rule): string {
  return parsePath(backendService ?? target);
}

/** A Service with ports of two protocols has two rules with one backend service. */
function onePerBackend(matches: readonly Match[]): readonly Match[] {
  return [...new Map(matches.toReversed().map((one) => [`${one.service.key} ${backendPath(one.rule)}`, one])).values()];
}

async function readGroup(
  discoverer: Discoverer,
  { service, rule }: Match,
  zones: readonly string[],
): Promise<TargetGroupBase> {
  const id = backendPath(rule);
  const name = nameIn(id);
  const { key } = service;
  const common = {
    id,
    name,
    loadBalancer: rule.name ?? '',
    service: key,
    strandsDraining: false,
    zones,
  };
  if (id.includes('/targetPools/')) {
    const pool = await readTargetPool(discoverer.reader, name);
    return {
      ...common,
      kind: targetPool,
      membership: 'all-nodes',
      crossZone: true,
      ...targetPoolSettings(pool),
      // Connection draining is what target pools lack, and what becomes of established connections is written nowhere (load balancing documentation,
      // "Migrate an external passthrough Network Load Balancer from target pool to backend service" and "Using target pools").
      deregistrationDelayMs: 0,
      terminatesConnectionsAfterDelay: 'unknown',
      terminatesUnhealthyConnections: false,
      healthCheck: mapHealthCheck(await discoverer.healthCheckOf(pool.healthChecks)),
    };
  }
  const backend = await discoverer.backendServiceAt(id);
  const members = membersOf(backend, service, rule);
  return {
    ...common,
    kind: backendService,
    ...members,
    crossZone: reachesAllZones(backend),
    ...backendServiceSettings(backend, members.membership),
    deregistrationDelayMs: (backend.connectionDraining?.drainingTimeoutSec ?? 0) * 1_000,
    // "After the timeout duration is reached, the load balancer stops sending all traffic" ("Enable connection draining"). It is 0 unless somebody sets it.
    terminatesConnectionsAfterDelay: true,
    // Compute API reference, BackendService.connectionTrackingPolicy: by default TCP connections persist on an unhealthy backend.
    terminatesUnhealthyConnections:
      backend.connectionTrackingPolicy?.connectionPersistenceOnUnhealthyBackends === 'NEVER_PERSIST',
    healthCheck: mapHealthCheck(await discoverer.healthCheckOf(backend.healthChecks)),
  };
}

/**
 * Instance groups have all nodes. Those of ingress-gce, for external Services from before network endpoint groups, follow the label only when a cordon
 * changes; those of the cloud controller manager follow it by itself. But with its feature SkipIGsManagement it only links the groups that ingress-gce
 * fills (cloud-provider-gcp, providers/gce/gce_loadbalancer_internal.go, ensureInternalInstanceGroups; kubernetes#107296), and nothing that can be read
 * says which of the two it is.
 *
 * Endpoints of type GCE_VM_IP are nodes that host an endpoint of the Service, or, under policy Cluster, a subset of all nodes, which only clusters below
 * the size of a subset exhaust: 24 or 25 for an internal load balancer, and for an external one as many as there are endpoints, at least three for each
 * zone (ingress-gce v1.41.1, pkg/neg/syncers/endpoints_calculator.go and subsets.go). Detaching is not cancelled by default
 * (pkg/flags, enable-l4-neg-detach-cancel). Of the exclude label only the presence counts (pkg/utils/zonegetter/zone_getter.go); for the others the cloud
 * controller manager parses its value (k8s.io/cloud-provider v0.36, controllers/service).
 */
function membersOf(
  { backends = [] }: compute_v1.Schema$BackendService,
  { key, externalTrafficPolicy }: ServiceFacts,
  { description }: Rule,
): Pick<
  TargetGroupFacts,
  'membership' | 'returnsAfterDrain' | 'readsLabelWithCordon' | 'mayReadLabelWithCordon' | 'ignoresLabelValue'
> {
  if (!backends.some(({ group }) => parsePath(group).includes('/networkEndpointGroups/'))) {
    const isWithCordon = isOfIngressGce(key, description);
    return {
      membership: 'all-nodes',
      ...(isWithCordon ? { readsLabelWithCordon: true, ignoresLabelValue: true } : { mayReadLabelWithCordon: true }),
    };
  }
  const membership = externalTrafficPolicy === 'Local' ? 'hosts-only' : 'subset';
  return { membership, returnsAfterDrain: true, ignoresLabelValue: true };
}

function unknownLoadBalancer(service: string, address: string): UnsupportedServiceFacts {
  return {
    service,
    why: 'unknown-load-balancer',
    detail: `no forwarding rule of this project and region has the address ${address}`,
    hint: 'Whether a node is deregistered could not be observed. Check the project and the region.',
  };
}

function notManaged(service: string, rule: Rule): UnsupportedServiceFacts {
  return {
    service,
    why: 'not-managed',
    detail: `forwarding rule ${rule.name} has its address, but its description does not say that it is for ${service}`,
    hint: 'Without its controller no node is deregistered. Let GKE create the load balancer of the Service.',
  };
}

function otherTargets(service: string, rule: Rule): UnsupportedServiceFacts {
  return {
    service,
    why: 'other-targets',
    detail: `forwarding rule ${rule.name} leads to ${backendPath(rule)}, of a load balancer that is a proxy`,
    hint: 'Nodes are not members there, so excluding them protects nothing. Use a passthrough load balancer for this Service.',
  };
}
