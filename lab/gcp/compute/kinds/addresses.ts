import { isIP } from 'node:net';
import { PASSTHROUGH_CIDRS, VIP_CIDR } from '../../../network-plan.ts';
import { HttpError } from '../../errors.ts';
import type { World } from '../../world.ts';
import { linkTo, parseLink } from '../links.ts';
import type { Kind } from './kind.ts';

/** Addresses that are reserved for forwarding rules. */
export const addresses: Kind = {
  collection: 'addresses',
  singular: 'address',
  apis: { region: 'addresses', global: 'globalAddresses' },
  methods: ['get', 'list', 'insert', 'delete'],
  complete: (world, _scope, { address, addressType = 'EXTERNAL' }) => ({
    addressType,
    address: typeof address === 'string' && address !== '' ? address : chooseAddress(world, addressType),
    status: 'RESERVED',
  }),
  derive: (world, { fields }) => {
    const users = [...world.resources.values()].filter((other) => other.fields['IPAddress'] === fields['address']);
    return users.length === 0 ? {} : { status: 'IN_USE', users: users.map(({ path }) => linkTo(world, path)) };
  },
};

/**
 * A free address for a forwarding rule of that scheme, or of that type: of 10.0.201.0/24 for internal ones, of 203.0.113.0/24 (RFC 5737) for others, and
 * of 10.0.200.0/24 for the schemes of proxies, whose addresses the data plane translates. @throws HttpError 403 when none is left
 */
export function chooseAddress(world: World, type: unknown): string {
  const [internal, external] = PASSTHROUGH_CIDRS;
  const proxied = String(type).endsWith('_MANAGED');
  const network = (proxied ? VIP_CIDR : type === 'INTERNAL' ? internal : external).replace(/\.0\/24$/, '');
  const used = new Set([...world.resources.values()].flatMap(({ fields }) => [fields['address'], fields['IPAddress']]));
  for (let host = 1; host < 255; host += 1) {
    if (!used.has(`${network}.${host}`)) return `${network}.${host}`;
  }
  throw new HttpError(403, 'quotaExceeded', "Quota 'IN_USE_ADDRESSES' exceeded.  Limit: 254.0 in region.");
}

/**
 * A free range of 2600:1900:4180::/64 for a forwarding rule of IPv6, which is what such a rule has for an address, written in full (ingress-gce,
 * pkg/l4/resources/l4ipv6.go and pkg/l4/address/manager_test.go). @throws HttpError 403 when none is left
 */
export function chooseRange(world: World): string {
  const used = new Set([...world.resources.values()].map(({ fields }) => fields['IPAddress']));
  for (let host = 1; host < 65_536; host += 1) {
    const range = `2600:1900:4180:0:0:${host.toString(16)}:0:0/96`;
    if (!used.has(range)) return range;
  }
  throw new HttpError(403, 'quotaExceeded', "Quota 'IN_USE_ADDRESSES' exceeded.  Limit: 65535.0 in region.");
}

/** The address that a reference means: one in numbers, or a reserved one. */
export function readAddress(world: World, reference: string): string {
  if (isIP(reference.replace(/\/96$/, '')) !== 0) return reference;
  const address = world.resources.get(parseLink(reference))?.fields['address'];
  if (typeof address === 'string') return address;
  throw new HttpError(400, 'invalid', `Invalid value for field 'resource.IPAddress': '${reference}'.`);
}
