import type { World } from '../../world.ts';
import { nameIn } from '../links.ts';
import { passthroughRules } from './rules.ts';

/** Why the load balancer of an address sends no new connections to a VM because it is healthy; undefined when it does. */
export function targetFault(world: World, vip: string, name: string): string | undefined {
  const { balancing } = world;
  const rules = balancing === undefined ? [] : passthroughRules(world, balancing).filter((rule) => rule.vip === vip);
  const members = [...(balancing?.members.values() ?? [])].filter(
    ({ instance, leaving }) => nameIn(instance) === name && !leaving,
  );
  if (members.length === 0) return 'is no member';
  if (!members.some(({ healthy }) => healthy)) return 'is UNHEALTHY';
  return rules.every(({ targets }) => targets.some(({ instanceId }) => instanceId === name))
    ? undefined
    : 'gets no connections yet';
}
