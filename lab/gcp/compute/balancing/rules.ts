import type { BrokenFlows, ForwardingRule } from '../../../contracts.ts';
import { receivers } from '../../../load-balancing.ts';
import type { World } from '../../world.ts';
import { nameIn, parseLink } from '../links.ts';
import type { Resource } from '../state.ts';
import type { Balancing, Member } from './state.ts';

/**
 * The rules in force. New connections go to healthy members. When none is healthy, a passthrough load balancer sends them to all (load balancing
 * documentation, "Traffic distribution for external passthrough Network Load Balancers": "as a last resort"; the page on internal ones says the same),
 * and a proxy here to none. What Google's do then was not found; this is the worse case.
 */
export function rulesInForce(world: World, { propagations }: Balancing): ForwardingRule[] {
  return listeners(world).map(({ rule, mode, owner, vip, port }) => {
    const routes = [...(propagations.get(owner)?.routes.values() ?? [])];
    const targets = mode === 'proxy' ? routes.filter(({ belief }) => belief === 'healthy') : receivers(routes);
    return {
      loadBalancerName: nameIn(rule.path),
      mode,
      dnsName: vip,
      zone: world.region,
      vip,
      port,
      targets: targets.map(({ instance, ip, port: own = port }) => ({ instanceId: nameIn(instance), ip, port: own })),
    };
  });
}

/** All connections to a member. */
export function flowsTo(world: World, { owner, ip, port: own }: Member): BrokenFlows[] {
  return listeners(world)
    .filter((one) => one.owner === owner)
    .map(({ vip, port }) => ({ vip, port, targetIp: ip, targetPort: own ?? port }));
}

/** An address and a port that something listens on. */
interface Listener {
  readonly rule: Resource;
  readonly mode: 'passthrough' | 'proxy';
  /** Path of the backend service or the target pool. */
  readonly owner: string;
  readonly vip: string;
  readonly port: number;
}

/**
 * Addresses and ports of forwarding rules for TCP: those of the region, which lead to a backend service, a target pool or a proxy, and global ones,
 * which lead to proxies. Of these only target TCP proxies are modelled.
 */
export function listeners(world: World): Listener[] {
  const rules = [...world.resources.values()].filter(({ path }) => path.includes('/forwardingRules/'));
  return rules.filter(isForTcp).flatMap((rule) => {
    const { IPAddress, target, backendService } = rule.fields;
    const first = parseLink(target ?? backendService);
    const proxy = first.includes('/targetTcpProxies/') ? world.resources.get(first) : undefined;
    if (proxy === undefined && rule.path.startsWith('global/')) return [];
    const owner = proxy === undefined ? first : parseLink(proxy.fields['service']);
    const mode = proxy === undefined ? 'passthrough' : 'proxy';
    return portsOf(rule).map((port) => ({ rule, mode, owner, vip: String(IPAddress), port }));
  });
}

function isForTcp({ fields: { IPProtocol = 'TCP' } }: Resource): boolean {
  return IPProtocol === 'TCP' || IPProtocol === 'L3_DEFAULT';
}

/** `ports`, or all of `portRange`. With `allPorts`, which is not modelled, none. */
function portsOf({ fields }: Resource): number[] {
  const { ports = [], portRange = '' } = fields as { ports?: readonly string[]; portRange?: string };
  const [first = 0, last = first] = portRange === '' ? [] : portRange.split('-').map(Number);
  const range = first === 0 ? [] : Array.from({ length: last - first + 1 }, (_, n) => first + n);
  return [...ports.map(Number), ...range];
}
