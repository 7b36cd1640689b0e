/** A method of the Compute API. */
interface Route {
  /** E.g. `instances.get`. */
  readonly method: string;
  readonly verb: 'GET' | 'POST' | 'DELETE';
  readonly path: RegExp;
}

const zonal = (collection: string, ending = '') =>
  new RegExp(`^zones/(?<zone>[^/]+)/${collection}/(?<name>[^/]+)${ending}$`);
const managers = 'instanceGroupManagers';

/** Methods that are modelled, with their paths below the project (Compute API reference, v1). */
const routes: readonly Route[] = [
  { method: `${managers}.get`, verb: 'GET', path: zonal(managers) },
  { method: `${managers}.listManagedInstances`, verb: 'POST', path: zonal(managers, '/listManagedInstances') },
  { method: `${managers}.listErrors`, verb: 'GET', path: zonal(managers, '/listErrors') },
  { method: `${managers}.deleteInstances`, verb: 'POST', path: zonal(managers, '/deleteInstances') },
  { method: 'instances.get', verb: 'GET', path: zonal('instances') },
  { method: 'instances.delete', verb: 'DELETE', path: zonal('instances') },
  { method: 'instances.aggregatedList', verb: 'GET', path: /^aggregated\/instances$/ },
  { method: 'zoneOperations.get', verb: 'GET', path: zonal('operations') },
];

/** The method that a request means, with the parts of its path; undefined for one without a model. */
export function findRoute(
  verb: string,
  path: string,
): (Route & { readonly parts: Record<string, string> }) | undefined {
  for (const route of routes) {
    const match = route.verb === verb ? route.path.exec(path) : null;
    if (match !== null) return { ...route, parts: { ...match.groups } };
  }
  return undefined;
}
