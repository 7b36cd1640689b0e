import { NodeferryError } from '../../core/model/problem.ts';
import { allPages } from './compute-client.ts';

/** What one scope (`zones/Z`, `regions/R` or `global`) has, or the warning in its place. */
interface ScopedList {
  readonly warning?: { readonly code?: string } | null;
}

/** One page of an aggregated list. */
interface AggregatedPage<T extends ScopedList> {
  readonly items?: Readonly<Record<string, T>> | null;
  readonly unreachables?: readonly string[] | null;
  readonly nextPageToken?: string | null;
}

/** Which page of which list is asked for. */
interface PageRequest {
  readonly returnPartialSuccess: true;
  readonly pageToken?: string;
}

/** The warning of a scope that was reached, and has nothing on that page. */
const nothingHere = 'NO_RESULTS_ON_PAGE';

/**
 * Reads an aggregated list of which only some scopes matter, and returns what each of these has. Without `returnPartialSuccess`, a scope that can't be
 * reached fails the whole call, wherever it is; with it, that scope "returns no resources", with a warning (Compute API reference, aggregatedList: "To
 * prevent failure, it is recommended that you set the `returnPartialSuccess` parameter to `true`"). So nothing may be concluded from what is missing
 * there: `unreached` has those of the scopes that matter.
 */
export async function readScopes<T extends ScopedList>(
  matters: (scope: string) => boolean,
  read: (request: PageRequest) => Promise<AggregatedPage<T>>,
): Promise<{ readonly found: readonly T[]; readonly unreached: readonly string[] }> {
  const unreached = new Set<string>();
  const scopes = await allPages(async (pageToken) => {
    const page = await read({ returnPartialSuccess: true, ...(pageToken && { pageToken }) });
    for (const url of page.unreachables ?? []) unreached.add(scopeOf(url));
    return { items: Object.entries(page.items ?? {}), next: page.nextPageToken };
  });
  const found = scopes.filter(([scope]) => matters(scope));
  for (const [scope, { warning }] of found) if ((warning?.code ?? nothingHere) !== nothingHere) unreached.add(scope);
  return { found: found.map(([, list]) => list), unreached: [...unreached].filter(matters) };
}

/** @throws NodeferryError ProviderUnavailable when a scope was not reached: whether something is missing there or just not told is unknown */
export function requireReached(subject: string, unreached: readonly string[]): void {
  if (unreached.length === 0) return;
  throw new NodeferryError({
    code: 'ProviderUnavailable',
    message: `${subject}: Compute Engine did not reach ${unreached.join(', ')}, so what is missing there may exist`,
    hint: 'The call is tried again. See https://status.cloud.google.com for an outage there.',
  });
}

/** Scope of a URL or a path that ends with it. */
function scopeOf(url: string): string {
  return /(?:(?:zones|regions)\/[^/]+|global)$/.exec(url)?.[0] ?? url;
}
