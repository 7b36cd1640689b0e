import { isIPv6, SocketAddress } from 'node:net';

/**
 * An address as Kubernetes writes it. A forwarding rule of IPv6 has a range, of which controllers take the first address (ingress-gce,
 * pkg/l4/resources/l4ipv6.go, ensureIPv6Resources), and Google does not always shorten it (pkg/l4/controllers/standalonenegcontroller.go).
 */
export function canonicalAddress(text: string | null | undefined): string {
  const [address = ''] = (text ?? '').split('/');
  return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}
