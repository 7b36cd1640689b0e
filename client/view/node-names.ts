/** What all names have in common from their first dot on, such as `.eu-west-1.compute.internal`; empty if that is nothing. */
export function sharedDomain(names: readonly string[]): string {
  const domains = new Set(names.map((name) => (name.includes('.') ? name.slice(name.indexOf('.')) : '')));
  const [domain = ''] = domains;
  return domains.size === 1 ? domain : '';
}

/** A name without the domain that all names share. */
export function withoutDomain(name: string, domain: string): string {
  return name.slice(0, name.length - domain.length);
}

/** Says what was left out of names; nothing if that is nothing. */
export function noteDomain(domain: string): readonly string[] {
  return domain === '' ? [] : [`names end with ${domain}`];
}
