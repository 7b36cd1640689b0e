/** The path below the project of a URL of Compute Engine: `regions/R/backendServices/N`. */
export function parsePath(url: string | null | undefined): string {
  return (url ?? '').replace(/^.*\/?projects\/[^/]+\//, '');
}

/** Last part of a path or URL: the name of what it leads to. */
export function nameIn(path: string | null | undefined): string {
  return (path ?? '').split('/').at(-1) ?? '';
}

/** Zone of a path or URL; undefined for one that is in none. */
export function zoneIn(path: string | null | undefined): string | undefined {
  return /(?:^|\/)zones\/([^/]+)\//.exec(path ?? '')?.[1];
}
