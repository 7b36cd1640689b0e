import { lookup } from 'node:dns/promises';
import { isLinkLocalHost } from '../../core/policy/probe-address.ts';

/** One destination of a probe: an address of a URL's host. */
export interface ProbeTarget {
  readonly url: URL;
  readonly address: string;
}

/** A host that has no address, or whose name can't be resolved now. */
export interface UnresolvedTarget {
  readonly url: URL;
  readonly address: undefined;
}

/**
 * All addresses of all URLs, in order. A load balancer has one address per zone, and clients use all of them. A URL that does not resolve stays in
 * the list, because a client would fail there. A name that resolves to the instance metadata service counts as one that does not resolve.
 */
export async function resolveTargets(
  urls: readonly URL[],
  addressesOf = async (host: string) => await lookup(host, { all: true }),
): Promise<readonly (ProbeTarget | UnresolvedTarget)[]> {
  const resolved = await Promise.all(
    urls.map(async (url) => {
      // URL writes IPv6 addresses in brackets; the resolver expects them without.
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const all = await addressesOf(host).catch(() => []);
      const found = all.filter(({ address }) => !isLinkLocalHost(address));
      return found.length === 0 ? [{ url, address: undefined }] : found.map(({ address }) => ({ url, address }));
    }),
  );
  return resolved.flat();
}
