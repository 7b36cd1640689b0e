/**
 * Load balancers that pass packets through, as Google's passthrough Network Load Balancers do: packets go to a node with their own source and
 * destination, kube-proxy takes them there because the address is in the status of the Service, and the node answers the client directly. The load
 * balancer sees one direction only, and the kernel's connection tracking takes that for no connection. So it has a table of its own: a SYN always
 * chooses a node by a hash over address and port of the client; every later packet of the connection goes there too, whatever happens to the list of
 * targets; a packet of a connection without an entry is sent to the node that the hash says now (load balancing documentation, "Traffic distribution
 * for external passthrough Network Load Balancers": session affinity NONE, connection tracking PER_CONNECTION).
 */
import type { ForwardingRule } from '../contracts.ts';
import { ADDRESSES, CLIENT_CIDR, PASSTHROUGH_CIDRS } from '../network-plan.ts';
import { NODE_BITS, type Steering } from './steering.ts';

/**
 * Entries of connections end this long after their last packet. Google's end after 60 s for external load balancers and after 600 s for internal ones
 * (same page). The longer one is used for both: without an entry the hash decides, and this one, unlike Google's, is not consistent, so it would send
 * connections elsewhere that stay there.
 */
const IDLE_TIMEOUT_S = 600;

/** Upper limit of connections at a time. A table without one has room for 65,535. */
const MAX_FLOWS = 1_048_576;

/** Priority of the routing rules in the load balancer's namespace. */
const RULE_PRIORITY = 100;

const FIRST_ROUTE_TABLE = 1000;

/** A connection as the table knows it. */
const FLOW = 'ip saddr . tcp sport . ip daddr . tcp dport';

/**
 * The part of the nftables table for passthrough. It comes before connection tracking, which it keeps away from these packets. The map
 * `passthrough` has the listeners, `broken` the marks of connections that must be broken: what their clients send is answered with a reset. The node is
 * not notified, since nothing of the client may reach it any more.
 */
export function renderPassthrough(): string[] {
  return [
    '  map passthrough {',
    '    type ipv4_addr . inet_service : verdict',
    '  }',
    '  map flows {',
    '    type ipv4_addr . inet_service . ipv4_addr . inet_service : mark',
    `    size ${MAX_FLOWS}`,
    '    flags dynamic, timeout',
    `    timeout ${IDLE_TIMEOUT_S}s`,
    '  }',
    '  set broken {',
    '    type ipv4_addr . inet_service . mark',
    '  }',
    '  chain record {',
    // Adding an entry that exists changes nothing, and `update` changes its time only.
    `    delete @flows { ${FLOW} : meta mark }`,
    `    add @flows { ${FLOW} timeout ${IDLE_TIMEOUT_S}s : meta mark }`,
    '    accept',
    '  }',
    '  chain steer {',
    '    type filter hook prerouting priority raw; policy accept;',
    `    ip daddr != { ${PASSTHROUGH_CIDRS.join(', ')} } accept`,
    '    notrack',
    '    tcp flags & (syn | ack) == syn ip daddr . tcp dport vmap @passthrough',
    `    meta mark set ${FLOW} map @flows`,
    '    ip daddr . tcp dport . meta mark @broken reject with tcp reset',
    `    meta mark != 0 update @flows { ${FLOW} timeout ${IDLE_TIMEOUT_S}s : meta mark } accept`,
    '    ip daddr . tcp dport vmap @passthrough',
    '    drop',
    '  }',
  ];
}

/** The rule that chooses a node for a new connection. */
export function renderMarks({ vip, port, targets }: ForwardingRule, steering: Steering): string {
  const map = targets.map(({ ip }, n) => `${n} : ${steering.markOf(vip, port, ip)}`);
  return `meta mark set jhash ip saddr . tcp sport mod ${targets.length} map { ${map.join(', ')} } goto record`;
}

/** Commands for `ip -batch` in the load balancer's namespace that route what is marked for these nodes to them. */
export function nodeRoutes(nodes: Iterable<readonly [ip: string, number: number]>): string[] {
  return [...nodes].flatMap(([ip, number]) => [
    `route replace default via ${ip} table ${FIRST_ROUTE_TABLE + number}`,
    `rule add fwmark ${number}/${NODE_BITS} lookup ${FIRST_ROUTE_TABLE + number} priority ${RULE_PRIORITY}`,
  ]);
}

/** Shell command that removes the routing rules; the routes alone lead nothing anywhere. */
export const REMOVE_NODE_RULES = `while ip rule del priority ${RULE_PRIORITY} 2>/dev/null; do :; done`;

/**
 * Commands for `ip -batch` that a network needs for passthrough besides those that it has:
 * - `client`: the clients' namespace gets a leg `device` on the fabric, on which it only receives. What it sends to the addresses of load balancers
 *   goes through the load balancer's namespace, which is its default gateway.
 * - `node`: answers to clients go to that leg and not to the gateway, and what pods send to load balancers goes to the gateway, although those
 *   addresses may be within the fabric's network.
 * Everywhere `rp_filter` must be 0, since packets come from where none are sent to, and the load balancer's namespace needs `ip_forward`. Not for a
 * network whose load balancers translate addresses: there answers have to go back through the load balancer.
 */
export function directReturnRoutes(device: string): { readonly client: string[]; readonly node: string[] } {
  return {
    client: [`address add ${ADDRESSES.clientOnFabric}/32 dev ${device}`, `link set ${device} up`],
    node: [
      `route add ${CLIENT_CIDR} via ${ADDRESSES.clientOnFabric}`,
      ...PASSTHROUGH_CIDRS.map((cidr) => `route add ${cidr} via ${ADDRESSES.gateway}`),
    ],
  };
}
