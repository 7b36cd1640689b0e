import type { World } from '../world.ts';

/** URL of a resource of the project. */
export function linkTo(world: World, path: string): string {
  return `${world.computeBase}/compute/v1/projects/${world.project}/${path}`;
}

/**
 * The path below the project that a reference means. Clients write references as full URLs, from `projects/` on, or, as the GCE cloud provider does,
 * as `/zones/Z/instances/N`.
 */
export function parseLink(reference: unknown): string {
  return (typeof reference === 'string' ? reference : '').replace(/^.*\/?projects\/[^/]+\//, '').replace(/^\//, '');
}

/** Where a call or a resource is: `zones/Z`, `regions/R` or `global`. */
export function readScope(path: Readonly<Record<string, string>>): string {
  if (path['zone'] !== undefined) return `zones/${path['zone']}`;
  return path['region'] === undefined ? 'global' : `regions/${path['region']}`;
}

/** The scope of a resource by its path. */
export function scopeIn(path: string): string {
  return path.split('/').slice(0, -2).join('/');
}

/** The name that a path or a URL ends in. */
export function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
