import type { World } from '../../world.ts';
import { addressIn } from '../kinds/backends.ts';
import { parseLink } from '../links.ts';
import type { Backend, Resource } from '../state.ts';
import { type Balancing, type Member, memberId } from './state.ts';

/** A member that a client has described. */
export type Wanted = Pick<Member, 'id' | 'owner' | 'group' | 'instance' | 'ip' | 'port'> & Pick<Backend, 'draining'>;

/** All members of all backend services and target pools, by ID. */
export function wantedMembers(world: World, { members }: Balancing): Map<string, Wanted> {
  const wanted = [...world.resources.values()].flatMap((owner) =>
    groupsBehind(world, owner).flatMap((group) =>
      group.backends.flatMap((backend): Wanted[] => {
        const ip = backend.ip || addressIn(world, backend.instance) || lastAddress(members, owner, group, backend);
        if (!ip) return [];
        const { instance, port, draining } = backend;
        const id = memberId(owner.path, group.path, backend, ip);
        return [{ id, owner: owner.path, group: group.path, instance, ip, port, draining }];
      }),
    ),
  );
  return new Map(wanted.map((one) => [one.id, one]));
}

/** Groups of a backend service that exist; a target pool is its own group. */
export function groupsBehind(world: World, owner: Resource): Resource[] {
  if (owner.path.includes('/targetPools/')) return [owner];
  if (!owner.path.includes('/backendServices/')) return [];
  const { backends = [] } = owner.fields as { backends?: readonly { group?: string }[] };
  return backends.flatMap(({ group }) => world.resources.get(parseLink(group)) ?? []);
}

/** A VM that is deleted leaves its instance groups, not its target pools (kinds/instance-groups.ts and target-pools.ts). */
function lastAddress(
  members: ReadonlyMap<string, Member>,
  owner: Resource,
  group: Resource,
  { instance }: Backend,
): string | undefined {
  if (owner !== group) return undefined;
  return [...members.values()].find((one) => one.owner === owner.path && one.instance === instance && !one.leaving)?.ip;
}
