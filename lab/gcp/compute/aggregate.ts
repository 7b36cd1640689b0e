import { HttpError } from '../errors.ts';
import type { World } from '../world.ts';
import { linkTo } from './links.ts';

/**
 * The scopes of an aggregated list with what each has. One that can't be reached fails the call, unless the caller wants the others all the same: then it
 * has a warning and nothing else, and is named among `unreachables` (Compute API reference, `returnPartialSuccess`: a scope "either returns all resources
 * in the zone or no resources, with an error code"). @throws HttpError 503 without `returnPartialSuccess`
 */
export function aggregate(
  world: World,
  query: URLSearchParams,
  scopes: readonly string[],
  contentsOf: (scope: string) => object | undefined,
) {
  const kinds = new Set(scopes.map(kindOf));
  const cutOff = [...world.faults.unreachable].filter((scope) => kinds.has(kindOf(scope)));
  if (cutOff.length > 0 && query.get('returnPartialSuccess') !== 'true') throw unreachable(cutOff[0] ?? '');
  const items = Object.fromEntries(
    [...new Set([...scopes, ...cutOff])].map((scope) => {
      if (cutOff.includes(scope)) {
        return [scope, { warning: { code: 'UNREACHABLE', message: unreachable(scope).message } }];
      }
      const message = `There are no results for scope '${scope}' on this page.`;
      return [scope, contentsOf(scope) ?? { warning: { code: 'NO_RESULTS_ON_PAGE', message } }];
    }),
  );
  return { items, ...(cutOff.length > 0 && { unreachables: cutOff.map((scope) => linkTo(world, scope)) }) };
}

/** @throws HttpError 503 for a scope that can't be reached */
export function requireReachable({ faults }: World, scope: string): void {
  if (faults.unreachable.has(scope)) throw unreachable(scope);
}

function unreachable(scope: string): HttpError {
  return new HttpError(503, 'backendError', `The scope '${scope}' could not be reached.`);
}

/** `zones`, `regions` or `global`. */
function kindOf(scope: string): string {
  return scope.split('/')[0] ?? '';
}
