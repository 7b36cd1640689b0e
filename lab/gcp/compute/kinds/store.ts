import { HttpError, noResource } from '../../errors.ts';
import { randomId, timestamp, type World } from '../../world.ts';
import { linkTo, nameIn, parseLink, scopeIn } from '../links.ts';
import type { Resource } from '../state.ts';
import { attach } from './backends.ts';
import type { Kind } from './kind.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The resource at a path. @throws HttpError 404 */
export function requireResource(world: World, path: string): Resource {
  const resource = world.resources.get(path);
  if (resource === undefined) throw noResource(world.project, path);
  return resource;
}

/** Adds a resource. @throws HttpError 409 when there is one of that name */
export function addResource(world: World, kind: Kind, scope: string, body: Fields): Resource {
  const name = typeof body['name'] === 'string' ? body['name'] : '';
  // Compute API reference: a name is 1 to 63 characters that comply with RFC 1035.
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    throw new HttpError(400, 'invalid', `Invalid value for field 'resource.name': '${name}'.`);
  }
  const path = `${scope}/${kind.collection}/${name}`;
  if (world.resources.has(path)) {
    throw new HttpError(409, 'alreadyExists', `The resource 'projects/${world.project}/${path}' already exists`);
  }
  const resource: Resource = {
    path,
    id: randomId(world, 19),
    createdAt: timestamp(world),
    revision: 1,
    fields: { ...body, ...kind.complete?.(world, scope, body) },
    backends: [],
  };
  attach(world, resource, kind.firstMembers?.(body) ?? []);
  world.resources.set(path, resource);
  return resource;
}

/** Gives a resource other fields. @throws HttpError 412 when the fingerprint that was sent is not its own */
export function changeResource(resource: Resource, sent: Fields, fields: Fields): void {
  const known = sent['fingerprint'];
  if (known !== undefined && known !== '' && known !== fingerprint(resource)) {
    throw new HttpError(412, 'conditionNotMet', 'Supplied fingerprint does not match current metadata fingerprint.');
  }
  resource.fields = fields;
  resource.revision += 1;
}

/** Removes a resource. @throws HttpError 400 while another one refers to it */
export function removeResource(world: World, kind: Kind, { path }: Resource): void {
  // An address that was promised to a forwarding rule can be deleted: the rule keeps it (what the GCE cloud provider relies on).
  const user = kind.collection === 'addresses' ? undefined : findUser(world, path);
  if (user !== undefined) {
    throw new HttpError(
      400,
      'resourceInUseByAnotherResource',
      `The ${kind.singular} resource 'projects/${world.project}/${path}' is already being used by 'projects/${world.project}/${user.path}'`,
    );
  }
  world.resources.delete(path);
}

function findUser(world: World, path: string): Resource | undefined {
  return [...world.resources.values()].find((other) => refersTo(other.fields, path));
}

function refersTo(value: unknown, path: string): boolean {
  if (typeof value === 'string') return value.endsWith(path) && parseLink(value) === path;
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => refersTo(part, path));
}

/** A resource as its method `get` returns it. */
export function describeResource(world: World, kind: Kind, resource: Resource): Fields {
  const scope = scopeIn(resource.path);
  return {
    ...resource.fields,
    ...kind.derive?.(world, resource),
    kind: `compute#${kind.singular}`,
    id: resource.id,
    creationTimestamp: resource.createdAt,
    name: nameIn(resource.path),
    fingerprint: fingerprint(resource),
    ...(scope.startsWith('zones/') && { zone: linkTo(world, scope) }),
    ...(scope.startsWith('regions/') && { region: linkTo(world, scope) }),
    selfLink: linkTo(world, resource.path),
  };
}

function fingerprint({ id, revision }: Resource): string {
  return Buffer.from(`${id.slice(0, 6)}${revision}`).toString('base64');
}

/** Resources of a kind in a scope, in order of creation. */
export function resourcesIn(world: World, kind: Kind, scope: string): Resource[] {
  return [...world.resources.values()].filter(({ path }) => path === `${scope}/${kind.collection}/${nameIn(path)}`);
}
