/** Whether an address contains a user name or a password. fetch would not send them, and the history of the run would record them. */
export function carriesPassword(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
}

/**
 * Whether an address is link-local (RFC 3927, RFC 4291) or one at which a cloud serves credentials to its instances (Amazon EC2 user guide:
 * 169.254.169.254, fd00:ec2::254; Amazon EKS Pod Identity: 169.254.170.23, fd00:ec2::23). Users who may start a run must not be able to
 * make the worker send requests there.
 */
export function isLinkLocal(address: string): boolean {
  const host = URL.parse(address)?.hostname;
  return host !== undefined && (isLinkLocalHost(host) || /^metadata\.google\.internal\.?$/.test(host));
}

/** The same for the host of a URL, or for the address that a name resolves to: `169.254.169.254`, `[fe80::1]`, `fe80::1`. */
export function isLinkLocalHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  // URL writes an IPv4 address inside an IPv6 address in hexadecimal: a9fe is 169.254.
  return /^169\.254\.|^::ffff:(?:169\.254\.|a9fe:)|^fe[89ab][0-9a-f]:|^fd00:ec2:/.test(bare);
}
