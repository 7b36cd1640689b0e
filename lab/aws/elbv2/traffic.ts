import type { ForwardingRule, ProbeResult } from '../../contracts.ts';
import { dataPlaneUpdates, receivers, type SubjectProbe } from '../../load-balancing.ts';
import type { World } from '../world.ts';
import type { LoadBalancer, Route, Target, TargetGroup } from './state.ts';

/** The target group's own setting has precedence over the load balancer's (Network Load Balancer guide, "Cross-zone load balancing"). */
function crossesZones(balancer: LoadBalancer, group: TargetGroup): boolean {
  const own = group.attributes.get('load_balancing.cross_zone.enabled');
  return (
    (own === 'use_load_balancer_configuration' ? balancer.attributes.get('load_balancing.cross_zone.enabled') : own) ===
    'true'
  );
}

/**
 * Targets that get new connections: the healthy ones, in the zone of the address unless cross-zone is on. When none is healthy, all of them ("fail
 * open": Network Load Balancer guide, "Target group health").
 */
function receiversOf(balancer: LoadBalancer, group: TargetGroup, zone: string): readonly Route[] {
  const enabled = balancer.zones.map((enabledZone) => enabledZone.zone);
  const zones = crossesZones(balancer, group) ? enabled : [zone];
  return receivers([...group.routes.values()].filter((route) => zones.includes(route.zone)));
}

/** The rules in force, for every listener and zone. */
function forwardingRules(world: World): ForwardingRule[] {
  return [...world.loadBalancers.values()].flatMap((balancer) =>
    [...balancer.listeners.values()].flatMap((listener) => {
      const group = world.targetGroups.get(listener.targetGroupArn);
      return balancer.zones.map(({ zone, vip }) => ({
        loadBalancerName: balancer.name,
        dnsName: balancer.dnsName,
        zone,
        vip,
        port: listener.port,
        targets: (group ? receiversOf(balancer, group, zone) : []).map(({ id, ip, port }) => ({
          instanceId: id,
          ip,
          port,
        })),
      }));
    }),
  );
}

/** Addresses that the load balancer's name resolves to. Zones without a healthy target leave DNS while another zone has one. */
export function resolveName(world: World, dnsName: string): string[] {
  const balancer = [...world.loadBalancers.values()].find((candidate) => candidate.dnsName === dnsName);
  if (balancer === undefined) return [];
  const groups = [...balancer.listeners.values()].flatMap(
    ({ targetGroupArn }) => world.targetGroups.get(targetGroupArn) ?? [],
  );
  const hasHealthy = (zone: string) =>
    groups.every((group) => receiversOf(balancer, group, zone).some((route) => route.belief === 'healthy'));
  const healthy = balancer.zones.filter(({ zone }) => hasHealthy(zone));
  return (healthy.length > 0 ? healthy : balancer.zones).map(({ vip }) => vip);
}

/** A target that is checked. */
interface Checked {
  readonly group: TargetGroup;
  readonly target: Target;
}

/** One health check per checked target. */
function healthProbes(world: World, isChecked: (target: Target) => boolean): SubjectProbe<Checked>[] {
  return [...world.targetGroups.values()].flatMap((group) => {
    const { protocol, port, path, intervalSeconds, timeoutSeconds } = group.healthCheck;
    return [...group.targets]
      .filter(([, target]) => isChecked(target))
      .map(([key, target]) => ({
        subject: { group, target },
        probe: {
          id: `${group.name} ${key}`,
          ip: target.ip,
          port: port === 'traffic-port' ? target.port : Number(port),
          protocol: protocol === 'HTTP' ? ('HTTP' as const) : ('TCP' as const),
          path: path ?? '/',
          intervalMs: intervalSeconds * 1000,
          timeoutMs: timeoutSeconds * 1000,
        },
      }));
  });
}

/** Makes the load balancers of the group break established connections to a target. */
export function breakFlowsTo(world: World, group: TargetGroup, target: Target): void {
  const flows = [...world.loadBalancers.values()].flatMap((balancer) =>
    [...balancer.listeners.values()]
      .filter((listener) => listener.targetGroupArn === group.arn)
      .flatMap(({ port }) =>
        balancer.zones.map(({ vip }) => ({ vip, port, targetIp: target.ip, targetPort: target.port })),
      ),
  );
  if (flows.length > 0) world.dataPlane?.breakFlows(flows);
}

/** Keeps the data plane up to date: after every change, it is sent what differs from before. */
export function driveDataPlane(
  world: World,
  dataPlane: NonNullable<World['dataPlane']>,
  isChecked: (target: Target) => boolean,
  onResult: (group: TargetGroup, target: Target, result: ProbeResult) => void,
): void {
  const update = dataPlaneUpdates<Checked>(dataPlane, ({ group, target }, result) => onResult(group, target, result));
  world.changeListeners.add(() => update(forwardingRules(world), healthProbes(world, isChecked)));
}
