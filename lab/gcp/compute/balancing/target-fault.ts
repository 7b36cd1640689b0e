import type { World } from '../../world.ts';
import { nameIn } from '../links.ts';
import { listeners, rulesInForce } from './rules.ts';

/** Why the load balancer of an address does not send new connections to a VM as a healthy one; undefined when it does. */
export function targetFault(world: World, vip: string, name: string): string | undefined {
  const { balancing } = world;
  if (balancing === undefined) return 'is not checked';
  const owners = listeners(world).flatMap((one) => (one.vip === vip ? [one.owner] : []));
  const members = [...balancing.members.values()].filter(
    ({ owner, instance, leaving }) => owners.includes(owner) && nameIn(instance) === name && !leaving,
  );
  const rules = rulesInForce(world, balancing).filter((rule) => rule.vip === vip);
  if (members.length === 0) return 'is no member';
  if (!members.some(({ healthy }) => healthy)) return 'is UNHEALTHY';
  return rules.every(({ targets }) => targets.some(({ instanceId }) => instanceId === name))
    ? undefined
    : 'gets no connections yet';
}
