/** Whether an address names a user or a password; fetch would not send them, and they would stand in the history of the run. */
export function carriesPassword(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
}

/**
 * Whether an address is that of the machine's own surroundings instead of a service: link-local (RFC 3927, RFC 4291), and where clouds serve
 * credentials of the instance (Amazon EC2 user guide: 169.254.169.254, fd00:ec2::254; Amazon EKS Pod Identity: 169.254.170.23, fd00:ec2::23).
 * Who may start a run must not have the worker ask there.
 */
export function isLinkLocal(address: string): boolean {
  const host = URL.parse(address)?.hostname;
  return host !== undefined && (isLinkLocalHost(host) || /^metadata\.google\.internal\.?$/.test(host));
}

/** The same for a host as a URL writes it, or for what a name was resolved to: `169.254.169.254`, `[fe80::1]`, `fe80::1`. */
export function isLinkLocalHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  // An IPv4 address inside an IPv6 one is written in hexadecimal by URL: a9fe is 169.254.
  return /^169\.254\.|^::ffff:(?:169\.254\.|a9fe:)|^fe[89ab][0-9a-f]:|^fd00:ec2:/.test(bare);
}
