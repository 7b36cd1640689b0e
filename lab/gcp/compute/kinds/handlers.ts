import type { World } from '../../world.ts';
import { aggregate } from '../aggregate.ts';
import type { ComputeCall, Handler } from '../call.ts';
import { pageOf, parseFilter } from '../filter.ts';
import { linkTo, readScope } from '../links.ts';
import { mutate } from '../operations.ts';
import { kinds } from './catalog.ts';
import type { Kind } from './kind.ts';
import {
  addResource,
  changeResource,
  describeResource,
  removeResource,
  requireResource,
  resourcesIn,
} from './store.ts';

/** Handlers of all kinds by the names that the API reference gives the methods. */
export function kindHandlers(world: World): Readonly<Record<string, Handler>> {
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.values(kind.apis).flatMap((api) =>
        Object.entries({ ...methodsFor(world, kind), ...actionsFor(world, kind) }).map(
          ([method, handler]) => [`${api}.${method}`, handler] as const,
        ),
      ),
    ),
  );
}

function methodsFor(world: World, kind: Kind): Readonly<Record<string, Handler>> {
  const found = ({ path }: ComputeCall) =>
    requireResource(world, `${readScope(path)}/${kind.collection}/${path['name']}`);
  const about = (call: ComputeCall, type: string, name = call.path['name']) => {
    const scope = readScope(call.path);
    return { scope, type, target: `${scope}/${kind.collection}/${name}` };
  };
  const change = (type: string, fieldsAfter: (call: ComputeCall, before: object) => object) => (call: ComputeCall) => {
    const resource = found(call);
    return mutate(world, call, about(call, type), () => {
      changeResource(resource, call.body, { ...fieldsAfter(call, resource.fields) });
      return 0;
    });
  };
  return {
    get: (call) => describeResource(world, kind, found(call)),
    list: (call) => listResources(world, kind, call),
    aggregatedList: (call) => aggregateResources(world, kind, call),
    insert: (call) =>
      mutate(world, call, about(call, 'insert', String(call.body['name'])), () => {
        addResource(world, kind, readScope(call.path), call.body);
        return 0;
      }),
    delete: (call) => {
      const resource = found(call);
      return mutate(world, call, about(call, 'delete'), () => {
        removeResource(world, kind, resource);
        return 0;
      });
    },
    patch: change('patch', ({ body }, before) => ({ ...before, ...body })),
    update: change('update', ({ body }) => body),
  };
}

function actionsFor(world: World, kind: Kind): Readonly<Record<string, Handler>> {
  const targetIn = ({ path }: ComputeCall) => `${readScope(path)}/${kind.collection}/${path['name']}`;
  const reads = Object.entries(kind.reads ?? {}).map(([name, read]): [string, Handler] => [
    name,
    (call) => read(world, requireResource(world, targetIn(call)), call),
  ]);
  const changes = Object.entries(kind.changes ?? {}).map(([type, change]): [string, Handler] => [
    type,
    (call) => {
      const target = targetIn(call);
      const resource = requireResource(world, target);
      return mutate(world, call, { scope: readScope(call.path), target, type }, () => change(world, resource, call));
    },
  ]);
  return Object.fromEntries([...reads, ...changes]);
}

function listResources(world: World, kind: Kind, { path, query }: ComputeCall) {
  const scope = readScope(path);
  const described = resourcesIn(world, kind, scope).map((one) => describeResource(world, kind, one));
  return {
    kind: `compute#${kind.singular}List`,
    ...pageOf(described.filter(parseFilter(query.get('filter'))), query),
    selfLink: linkTo(world, `${scope}/${kind.collection}`),
  };
}

function aggregateResources(world: World, kind: Kind, { query }: ComputeCall) {
  const passes = parseFilter(query.get('filter'));
  const scopes = [
    ...('global' in kind.apis ? ['global'] : []),
    ...('region' in kind.apis ? [`regions/${world.region}`] : []),
    ...('zone' in kind.apis ? world.zones.map((zone) => `zones/${zone}`) : []),
  ];
  const contentsOf = (scope: string) => {
    const passing = resourcesIn(world, kind, scope)
      .map((one) => describeResource(world, kind, one))
      .filter(passes);
    return passing.length > 0 ? { [kind.collection]: passing } : undefined;
  };
  return { kind: `compute#${kind.singular}AggregatedList`, ...aggregate(world, query, scopes, contentsOf) };
}
