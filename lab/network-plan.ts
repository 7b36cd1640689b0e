/**
 * The address plan of the lab. Every namespace, address and route is computed here, so that the parts which program the kernel, the simulated cloud and
 * the load balancer agree without asking each other.
 */

import { NAMESPACE_PREFIX } from './which.ts';

/** Namespaces that exist once per lab. */
export const NAMESPACES = {
  fabric: `${NAMESPACE_PREFIX}fabric`,
  controlPlane: `${NAMESPACE_PREFIX}cp`,
  loadBalancer: `${NAMESPACE_PREFIX}lb`,
  client: `${NAMESPACE_PREFIX}cli`,
  operations: `${NAMESPACE_PREFIX}ops`,
} as const;

/** Hosts of the controllers of GKE, which only labs of that cloud have: network namespace and address on the fabric of each. */
export const CONTROLLER_HOSTS = {
  cloudControllerManager: { namespace: `${NAMESPACE_PREFIX}ccm`, address: '10.0.0.2' },
  ingressGce: { namespace: `${NAMESPACE_PREFIX}glbc`, address: '10.0.0.3' },
} as const;

/** Addresses that exist once per lab. */
export const ADDRESSES = {
  controlPlane: '10.0.0.1',
  /** The load balancer on the fabric: everyone's default gateway. */
  gateway: '10.0.0.100',
  clientGateway: '10.9.0.1',
  /** Where clients receive the answers of nodes that do not go back through a load balancer. */
  clientOnFabric: '10.0.0.101',
  operationsGateway: '10.9.1.1',
  operations: '10.9.1.10',
} as const;

/** The fabric is one layer-2 segment; each zone has a subnet of it. */
export const FABRIC = { cidr: '10.0.0.0/16', prefixLength: 16, bridge: 'br0' } as const;

/** Addresses of load balancers that translate addresses are `10.0.200.N`, routed to the gateway by everyone and on-link for no one. */
export const VIP_CIDR = '10.0.200.0/24';

/** Networks of the addresses of load balancers that pass packets through: internal ones, and external ones (RFC 5737). Routed as `VIP_CIDR` is. */
export const PASSTHROUGH_CIDRS = ['10.0.201.0/24', '203.0.113.0/24'] as const;

/** The clients, behind the load balancer. */
export const CLIENT_CIDR = '10.9.0.0/24';

/** All pods; each node has one /24 of it. */
export const POD_CIDR = '10.244.0.0/16';

/** Cluster IPs of Services. */
export const SERVICE_CIDR = '10.96.0.0/16';

/** Where the control plane and the worker find the simulated AWS inside their namespaces. */
export const AWS_PORT_INSIDE = 4566;

/** Where the worker finds Temporal inside its namespace. */
export const TEMPORAL_PORT_INSIDE = 7233;

/** The API server as seen from inside the lab. */
export const API_SERVER_INSIDE = `https://${ADDRESSES.controlPlane}:6443`;

const CLIENT_ADDRESSES = 16;
const FIRST_CLIENT_ADDRESS = 10;
const HIGHEST_POD_SUBNET = 250;

/** The source addresses of the traffic prober; several, because one address has only about 28,000 ports. */
export function clientAddresses(): readonly string[] {
  return Array.from({ length: CLIENT_ADDRESSES }, (_, n) => `10.9.0.${FIRST_CLIENT_ADDRESS + n}`);
}

/** The network namespace of an instance, e.g. `nf-i-0123456789abcdef0`. */
export function instanceNamespace(instanceId: string): string {
  return `${NAMESPACE_PREFIX}${instanceId}`;
}

/**
 * The name of an instance's port on the fabric's bridge. Interface names have at most 15 characters (linux/if.h IFNAMSIZ), so it is derived from the
 * address, not from the instance ID: `p-10-0-1-11` → `p-1-11`.
 */
export function fabricPort(ip: string): string {
  const [, , third, fourth] = octets(ip);
  return `p-${third}-${fourth}`;
}

/**
 * The hardware address of an instance, derived from its IPv4 address. All nodes know it from the start, so that packets to a terminated instance
 * vanish as in a VPC instead of failing after an unanswered ARP request.
 */
export function hardwareAddress(ip: string): string {
  return ['02', '00', ...octets(ip).map((octet) => octet.toString(16).padStart(2, '0'))].join(':');
}

/** The /24 of the pods of the node with this number. */
export function podSubnet(node: number): string {
  return `10.244.${node}.0/24`;
}

/** The lowest number that no living node uses for its pods; throws when all 250 are in use. */
export function freeNodeNumber(used: ReadonlySet<number>): number {
  for (let node = 1; node <= HIGHEST_POD_SUBNET; node++) {
    if (!used.has(node)) return node;
  }
  throw new Error(`the lab has room for ${HIGHEST_POD_SUBNET} nodes`);
}

/** The four numbers of an IPv4 address; throws when the text is none. */
function octets(ip: string): readonly [number, number, number, number] {
  const [a, b, c, d, ...rest] = ip.split('.').map(Number);
  const parts = [a, b, c, d];
  if (
    rest.length > 0 ||
    !parts.every((part) => part !== undefined && Number.isInteger(part) && part >= 0 && part < 256)
  ) {
    throw new Error(`not an IPv4 address: ${ip}`);
  }
  return [a ?? 0, b ?? 0, c ?? 0, d ?? 0];
}
