import { NodeferryError } from '../../core/model/problem.ts';
import type { ServiceFacts } from '../../core/model/service.ts';
import type { TargetFacts, TargetGroupBase } from '../../core/model/target-group.ts';
import type { UnsupportedServiceFacts } from '../../core/model/unsupported-service.ts';
import type { LoadBalancerFamily, LoadBalancers } from '../../ports/load-balancers.ts';
import { describePods } from './pod-targets.ts';
import type { SimService, SimTarget, World } from './world.ts';

/** Every Service's load balancer sends to this port of the nodes. */
const nodePort = 30_080;

/** The address of a Service's load balancer. */
function hostnameOf({ key }: Pick<SimService, 'key'>): string {
  return `${key.replace('/', '-')}.elb.example`;
}

/** The load balancers of the world, as a cloud's API returns them. */
export function createSimLoadBalancers(world: World): LoadBalancers {
  return {
    discover: async (services, { beside = [] } = {}) => {
      const found = services.flatMap((facts) => behind(world, facts));
      return {
        groups: found
          .filter(({ balancer = 'watched' }) => balancer === 'watched' || balancer === 'pods-too')
          .flatMap((service) => targetGroupsOf(world, service)),
        unsupported: [...services, ...beside].flatMap((facts) => reasonsAgainst(world, facts).slice(0, 1)),
      };
    },
    readTargets: async (groups) =>
      groups.map((group) => {
        const service = world.services.find(({ key }) => key === group.service);
        if (service !== undefined && service.balancer !== 'empty') {
          const targets = targetsOf(world, service);
          const isFailing = service.failingChecks === 'both' || group.id === secondGroupId(service.key);
          return { ...group, targets: isFailing ? targets.map(failing) : targets };
        }
        throw new NodeferryError({ code: 'Conflict', message: `target group ${group.id} does not exist any more` });
      }),
  };
}

/** The same as a family of AWS: every Service of a cluster there is its own. */
export function createSimFamily(world: World): LoadBalancerFamily {
  return {
    title: 'AWS',
    kinds: ['elbv2-instance', 'elbv2-ip'],
    hasNode: (providerId) => providerId.startsWith('aws:'),
    claims: () => true,
    ...createSimLoadBalancers(world),
  };
}

const groupId = (key: string) => `tg/${key}`;
const secondGroupId = (key: string) => `${groupId(key)}/second`;
const groupName = ({ key }: SimService) => `k8s-${key.replace('/', '-')}`;

/** What a Service tells of its load balancer, or its Ingress. */
export function exposureOf(
  service: SimService,
): Pick<ServiceFacts, 'type' | 'hostnames' | 'nodePorts' | 'nodePortBalancers'> {
  if (service.type === 'ClusterIP') return { type: 'ClusterIP', hostnames: [], nodePorts: [] };
  if (service.ofIngress !== true)
    return { type: 'LoadBalancer', hostnames: [hostnameOf(service)], nodePorts: [nodePort] };
  const balancer = { by: `Ingress ${service.key}`, groups: [groupName(service)], hint: 'Have its pods as targets.' };
  return { type: 'NodePort', hostnames: [], nodePorts: [nodePort], nodePortBalancers: [balancer] };
}

/** Services whose load balancer has one of the addresses, or one of the target groups that an Ingress names. */
function behind(world: World, { hostnames, nodePortBalancers = [] }: ServiceFacts): readonly SimService[] {
  const named = nodePortBalancers.flatMap(({ groups }) => groups);
  return world.services
    .filter(({ type }) => type === 'LoadBalancer')
    .filter((one) => (one.ofIngress === true ? named.includes(groupName(one)) : hostnames.includes(hostnameOf(one))));
}

function targetGroupsOf(world: World, service: SimService): readonly TargetGroupBase[] {
  const group = targetGroupOf(world, service);
  const second = { ...group, id: secondGroupId(service.key), name: `${group.name}-second` };
  return service.failingChecks === undefined ? [group] : [group, second];
}

/** The target as its group shows it when its health checks never pass. */
function failing(target: TargetFacts): TargetFacts {
  const fails = target.state === 'healthy' || target.state === 'unhealthy.draining';
  return fails ? { ...target, state: 'unhealthy', reason: 'Target.FailedHealthChecks' } : target;
}

function labelReading({ mayReadLabelWithCordon, readsLabelWithCordon }: SimService): Partial<TargetGroupBase> {
  if (mayReadLabelWithCordon) return { mayReadLabelWithCordon };
  return readsLabelWithCordon ? { readsLabelWithCordon } : {};
}

function targetGroupOf(world: World, service: SimService): TargetGroupBase {
  const { key, controller, crossZone, healthCheckNodePort, uncovered = [], connectionDrainMs, podTargets } = service;
  return {
    id: groupId(key),
    name: groupName(service),
    kind: podTargets === undefined ? 'elbv2-instance' : 'elbv2-ip',
    loadBalancer: `nlb/${key}`,
    service: key,
    strandsDraining: controller === 'aws-load-balancer-controller',
    membership: podTargets === undefined ? (service.membership ?? 'all-nodes') : 'pods',
    ...(service.returnsAfterDrain && { returnsAfterDrain: true }),
    ...labelReading(service),
    crossZone,
    zones: [...new Set(world.instances.map(({ zone }) => zone))].filter((zone) => !uncovered.includes(zone)).sort(),
    deregistrationDelayMs: connectionDrainMs ?? world.delays.deregistration,
    terminatesConnectionsAfterDelay: connectionDrainMs !== undefined,
    terminatesUnhealthyConnections: false,
    healthCheck: {
      protocol: 'HTTP',
      port: String(healthCheckNodePort),
      intervalMs: world.delays.healthInterval,
      timeoutMs: 2_000,
      healthyThreshold: world.delays.healthThreshold,
      unhealthyThreshold: world.delays.healthThreshold,
    },
  };
}

function targetsOf(world: World, service: SimService): TargetFacts[] {
  if (service.podTargets !== undefined) return describePods(world, service.podTargets);
  return service.targets
    .filter(({ listed }) => listed)
    .map((target) => {
      const reason = reasonOf(target);
      return {
        kind: 'instance' as const,
        instanceId: target.instanceId,
        port: nodePort,
        zone: world.instances.find(({ instanceId }) => instanceId === target.instanceId)?.zone,
        state: target.state,
        ...(reason === undefined ? {} : { reason }),
      };
    });
}

/** Reason codes of the ELBv2 API reference, TargetHealth. */
function reasonOf({ state, checked }: SimTarget): string | undefined {
  if (state === 'draining') return 'Target.DeregistrationInProgress';
  if (state === 'initial') return checked ? 'Elb.InitialHealthChecking' : 'Elb.RegistrationInProgress';
  if (state === 'unused') return 'Target.NotInUse';
  return state === 'healthy' ? undefined : 'Target.FailedHealthChecks';
}

/** Why the Service can't be watched; of several reasons, the first is reported. */
function reasonsAgainst(world: World, facts: ServiceFacts): readonly UnsupportedServiceFacts[] {
  if (facts.type !== 'LoadBalancer') return [];
  const here = behind(world, facts);
  const readable = here.filter(({ balancer }) => balancer !== 'classic').map(hostnameOf);
  const unknown = facts.hostnames.filter((hostname) => !readable.includes(hostname));
  const as = (balancer: SimService['balancer']) => here.some((one) => one.balancer === balancer);
  const told = (why: UnsupportedServiceFacts['why'], detail: string): UnsupportedServiceFacts => ({
    service: facts.key,
    why,
    detail,
    hint: 'Move it to a Network Load Balancer with nodes as targets.',
  });
  return [
    ...(unknown.length > 0
      ? [told('unknown-load-balancer', `no load balancer has the address ${unknown.join(', ')}`)]
      : []),
    ...(as('unmanaged') ? [told('not-managed', 'its load balancer has no tag of a controller')] : []),
    ...(as('pods-too') ? [told('other-targets', 'one of its target groups has targets of type ip')] : []),
  ];
}
