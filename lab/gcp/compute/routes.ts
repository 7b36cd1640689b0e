import { kinds } from './kinds/catalog.ts';
import type { Kind, Scope } from './kinds/kind.ts';

/** A method of the Compute API. */
interface Route {
  /** E.g. `instances.get`. */
  readonly method: string;
  readonly verb: string;
  readonly path: RegExp;
}

const below: Readonly<Record<Scope, string>> = {
  zone: 'zones/(?<zone>[^/]+)',
  region: 'regions/(?<region>[^/]+)',
  global: 'global',
};
const name = '(?<name>[^/]+)';

const route = (method: string, verb: string, path: string): Route => ({ method, verb, path: new RegExp(`^${path}$`) });
const managers = 'instanceGroupManagers';
const oneManager = `${below.zone}/${managers}/${name}`;

/** Methods of what is no kind of its own, with their paths below the project (Compute API reference, v1). */
const ownRoutes: readonly Route[] = [
  route('projects.get', 'GET', ''),
  route('zones.list', 'GET', 'zones'),
  route('zones.get', 'GET', `zones/${name}`),
  route('regions.list', 'GET', 'regions'),
  route('regions.get', 'GET', `regions/${name}`),
  route('networks.list', 'GET', 'global/networks'),
  route('networks.get', 'GET', `global/networks/${name}`),
  route('subnetworks.list', 'GET', `${below.region}/subnetworks`),
  route('subnetworks.get', 'GET', `${below.region}/subnetworks/${name}`),
  route(`${managers}.get`, 'GET', oneManager),
  route(`${managers}.listManagedInstances`, 'POST', `${oneManager}/listManagedInstances`),
  route(`${managers}.listErrors`, 'GET', `${oneManager}/listErrors`),
  route(`${managers}.deleteInstances`, 'POST', `${oneManager}/deleteInstances`),
  route(`${managers}.resize`, 'POST', `${oneManager}/resize`),
  route('instances.list', 'GET', `${below.zone}/instances`),
  route('instances.get', 'GET', `${below.zone}/instances/${name}`),
  route('instances.delete', 'DELETE', `${below.zone}/instances/${name}`),
  route('instances.aggregatedList', 'GET', 'aggregated/instances'),
  ...(['zone', 'region', 'global'] as const).flatMap((scope) => [
    route(`${scope}Operations.get`, 'GET', `${below[scope]}/operations/${name}`),
    route(`${scope}Operations.list`, 'GET', `${below[scope]}/operations`),
    route(`${scope}Operations.wait`, 'POST', `${below[scope]}/operations/${name}/wait`),
  ]),
];

/** Verb and path of each method of a kind, below its scope and its collection. */
const shapes: Readonly<Record<Exclude<Kind['methods'][number], 'aggregatedList'>, readonly [string, string]>> = {
  get: ['GET', `/${name}`],
  list: ['GET', ''],
  insert: ['POST', ''],
  delete: ['DELETE', `/${name}`],
  patch: ['PATCH', `/${name}`],
  update: ['PUT', `/${name}`],
};

const routes: readonly Route[] = [...ownRoutes, ...kinds.flatMap(routesTo)];

function routesTo(kind: Kind): Route[] {
  const scopes = Object.entries(kind.apis) as [Scope, string][];
  const actions = [...Object.keys(kind.reads ?? {}), ...Object.keys(kind.changes ?? {})];
  return scopes.flatMap(([scope, api]) => {
    const collection = `${below[scope]}/${kind.collection}`;
    return [
      ...kind.methods.flatMap((method) => {
        if (method !== 'aggregatedList') {
          const [verb, path] = shapes[method];
          return route(`${api}.${method}`, verb, `${collection}${path}`);
        }
        // There is one for all scopes, and it has the name of the collection.
        return api === kind.collection ? route(`${api}.${method}`, 'GET', `aggregated/${kind.collection}`) : [];
      }),
      ...actions.map((action) => route(`${api}.${action}`, 'POST', `${collection}/${name}/${action}`)),
    ];
  });
}

/** The method that a request means, with the parts of its path; undefined for one without a model. */
export function findRoute(
  verb: string,
  path: string,
): (Route & { readonly parts: Record<string, string> }) | undefined {
  for (const one of routes) {
    const match = one.verb === verb ? one.path.exec(path) : null;
    if (match !== null) return { ...one, parts: { ...match.groups } };
  }
  return undefined;
}
