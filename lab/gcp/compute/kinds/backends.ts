import { HttpError } from '../../errors.ts';
import { later, notifyChange, type World } from '../../world.ts';
import { memberId } from '../balancing/state.ts';
import { nameIn, parseLink } from '../links.ts';
import type { Backend, BackendKey, Resource } from '../state.ts';

/** Health of a backend (Compute API reference, healthState). Target pools and instance groups know no DRAINING. */
type BackendHealth = 'HEALTHY' | 'UNHEALTHY' | 'DRAINING';

const sameAs = (one: BackendKey) => (other: BackendKey) =>
  one.instance === other.instance && one.ip === other.ip && one.ipv6 === other.ipv6 && one.port === other.port;

/** The VM that a reference means. @throws HttpError 400 when there is none; that Google answers so is an assumption */
export function requireVm(world: World, reference: unknown, zone?: string): string {
  const text = typeof reference === 'string' ? reference : '';
  const path = text.includes('/') ? parseLink(text) : `${zone}/instances/${text}`;
  const [, at, , name] = path.split('/');
  if (world.instances.has(`${at}/${name}`)) return path;
  throw new HttpError(
    400,
    'invalid',
    `Invalid value for field 'instance': '${text}'. The referenced instance does not exist.`,
  );
}

/** Adds members. One that is there already stays, and drains no more. */
export function attach(world: World, resource: Resource, keys: readonly BackendKey[]): void {
  for (const backend of resource.backends) if (keys.some(sameAs(backend))) backend.draining = false;
  const known = resource.backends;
  const added = keys
    .filter((key) => !known.some(sameAs(key)))
    .map((key): Backend => ({ ...key, attachedAt: world.clock.now(), draining: false }));
  resource.backends = [...known, ...added];
}

/** Removes members at once. */
export function remove(resource: Resource, keys: readonly BackendKey[]): void {
  resource.backends = resource.backends.filter((backend) => !keys.some(sameAs(backend)));
}

/**
 * Removes members once their connections are drained, and returns how long that takes, ms. Until then they are members that drain: ingress-gce reads
 * them so (pkg/neg/syncers/utils.go); the API reference does not say it.
 */
export function drain(world: World, resource: Resource, keys: readonly BackendKey[]): number {
  const ms = connectionDrainMs(world, resource);
  for (const backend of resource.backends) {
    if (!keys.some(sameAs(backend))) continue;
    backend.draining = true;
    world.deregisteredAt.set(nameIn(backend.instance), world.clock.now());
  }
  const end = () => {
    resource.backends = resource.backends.filter((backend) => !(backend.draining && keys.some(sameAs(backend))));
    notifyChange(world);
  };
  if (ms === 0) end();
  else later(world, ms, end);
  return ms;
}

/** A group that several backend services share drains for the longest of their times (load balancing documentation, "Enable connection draining"). */
export function connectionDrainMs(world: World, group: Resource): number {
  const seconds = servicesWith(world, group).map(
    ({ fields }) => (fields['connectionDraining'] as { drainingTimeoutSec?: number } | undefined)?.drainingTimeoutSec,
  );
  return Math.max(0, ...seconds.map((one) => one ?? 0)) * 1_000 * world.delays.drainShare;
}

/** The backend services that have a group among their backends. */
export function servicesWith(world: World, group: Resource): Resource[] {
  return [...world.resources.values()].filter(({ path, fields }) => {
    if (!path.includes('/backendServices/')) return false;
    const backends = (fields['backends'] ?? []) as readonly { group?: string }[];
    return backends.some((backend) => parseLink(backend.group) === group.path);
  });
}

/**
 * Health of a member of a group behind an owner, a backend service or a target pool. One that drains and fails its checks is UNHEALTHY (ingress-gce,
 * pkg/neg/syncers).
 */
export function readHealth(world: World, owner: Resource, group: Resource, backend: Backend): BackendHealth {
  const healthy = isFoundHealthy(world, owner, group, backend) ?? isExpectedHealthy(world, backend);
  if (!healthy) return 'UNHEALTHY';
  return backend.draining ? 'DRAINING' : 'HEALTHY';
}

/** What the health checks of the data plane say; undefined without one. */
function isFoundHealthy(world: World, owner: Resource, group: Resource, backend: Backend): boolean | undefined {
  const id = memberId(owner.path, group.path, backend, backend.ip ?? addressIn(world, backend.instance));
  return world.balancing && (world.balancing.members.get(id)?.healthy ?? false);
}

/** Whether it should be healthy by now. */
function isExpectedHealthy(world: World, backend: Backend): boolean {
  const [, zone, , name = ''] = backend.instance.split('/');
  const runs = world.instances.get(`${zone}/${name}`)?.status === 'RUNNING';
  const passes = !world.failing.has(backend.ip ?? '') && !world.failing.has(name);
  const checked = world.clock.now() >= backend.attachedAt + world.delays.firstHealthMs;
  return runs && passes && checked;
}

/** Address of a VM; empty when it is gone. */
export function addressIn(world: World, instance: string): string {
  const [, zone, , name] = instance.split('/');
  return world.instances.get(`${zone}/${name}`)?.ip ?? '';
}
