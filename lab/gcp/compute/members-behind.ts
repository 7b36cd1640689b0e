import type { World } from '../world.ts';
import { readHealth, servicesWith } from './kinds/backends.ts';
import { nameIn, parseLink } from './links.ts';
import type { Backend } from './state.ts';

/** The VMs to which the forwarding rules of an address lead. */
export function membersBehind(world: World, address: string) {
  const rules = [...world.resources.values()].filter(({ fields }) => fields['IPAddress'] === address);
  const paths = rules.map(({ fields }) => parseLink(fields['backendService'] ?? fields['target']));
  const members: readonly Backend[] = [...world.resources.values()].flatMap((resource) => {
    const leads =
      paths.includes(resource.path) || servicesWith(world, resource).some(({ path }) => paths.includes(path));
    return leads ? resource.backends : [];
  });
  return {
    /** Why a VM gets no connections; undefined when it gets some. */
    faultOf: (name: string): string | undefined => {
      const member = members.find(({ instance }) => nameIn(instance) === name);
      if (member === undefined) return 'is no member';
      const health = readHealth(world, member);
      return health === 'HEALTHY' ? undefined : `is ${health}`;
    },
  };
}
