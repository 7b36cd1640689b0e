import type { BrokenFlows, ForwardingRule } from '../../../contracts.ts';
import { receivers } from '../../../load-balancing.ts';
import type { World } from '../../world.ts';
import { nameIn, parseLink } from '../links.ts';
import type { Resource } from '../state.ts';
import type { Balancing, Member } from './state.ts';

/**
 * The rules in force. New connections go to healthy members; when none is healthy, to all of them (load balancing documentation, "Traffic distribution
 * for external passthrough Network Load Balancers": "as a last resort"; the page on internal ones says the same).
 */
export function passthroughRules(world: World, { propagations }: Balancing): ForwardingRule[] {
  return listeners(world).map(({ rule, owner, vip, port }) => {
    const routes = [...(propagations.get(owner)?.routes.values() ?? [])];
    return {
      loadBalancerName: nameIn(rule.path),
      mode: 'passthrough',
      dnsName: vip,
      zone: world.region,
      vip,
      port,
      targets: receivers(routes).map(({ instance, ip }) => ({ instanceId: nameIn(instance), ip, port })),
    };
  });
}

/** All connections to a member. */
export function flowsTo(world: World, { owner, ip }: Member): BrokenFlows[] {
  return listeners(world)
    .filter((one) => one.owner === owner)
    .map(({ vip, port }) => ({ vip, port, targetIp: ip, targetPort: port }));
}

/** Addresses and ports of forwarding rules of the region for TCP. Global ones are of load balancers that don't pass packets through. */
export function listeners(world: World) {
  const rules = [...world.resources.values()].filter(({ path }) => /^regions\/[^/]+\/forwardingRules\//.test(path));
  return rules.filter(isForTcp).flatMap((rule) => {
    const { IPAddress, target, backendService } = rule.fields;
    const owner = parseLink(target ?? backendService);
    return portsOf(rule).map((port) => ({ rule, owner, vip: String(IPAddress), port }));
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
