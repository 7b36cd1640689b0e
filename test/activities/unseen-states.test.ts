/** States that are easily taken for others: a target that drains and fails its checks is reported as unhealthy, and an instance that is off is not gone. */
import { expect, test } from 'vitest';
import type { Ports } from '../../ports/ports.ts';
import { serviceNamed } from '../simulator/disturbances.ts';
import { losePower } from '../simulator/silent-nodes.ts';
import { later } from '../simulator/world.ts';
import { upgradeOf } from '../support/upgrade-of.ts';
import { lockPool, planFirstNode, run } from './lock-pool.ts';

const connectionDrainMs = 300_000;

/** Every target that drains fails its health checks, and its load balancer tells only that. */
function hideDrains(ports: Ports): Ports {
  const { loadBalancers } = ports;
  return {
    ...ports,
    loadBalancers: {
      ...loadBalancers,
      readTargets: async (groups, asked) =>
        (await loadBalancers.readTargets(groups, asked)).map((group) => ({
          ...group,
          targets: group.targets.map((one) => ({ ...one, state: one.state === 'draining' ? 'unhealthy' : one.state })),
        })),
    },
  };
}

async function openScene(listen: (ports: Ports) => Ports) {
  const upgrade = upgradeOf();
  const { world } = upgrade;
  for (const name of ['web', 'api'])
    Object.assign(serviceNamed(world, name), { returnsAfterDrain: true, connectionDrainMs });
  const locked = lockPool(upgrade, listen);
  const input = await planFirstNode(locked);
  const { node } = input;
  return { ...locked, node, input };
}

test('a node that drains unseen is waited for beyond the deadline, and its label is left alone', async () => {
  const { world, ports, activities, step, input, node } = await openScene(hideDrains);
  const excludedAt = world.clock.now();
  await ports.cluster.cordon(node, run);
  await ports.cluster.exclude(node, run);
  world.changed();
  const { externalChanges } = await step(
    'deregister',
    async () => await activities.awaitDeregistered({ ...input, excludedAt }),
  );
  expect(externalChanges).toEqual([]);
  expect(world.clock.now() - excludedAt).toBeGreaterThanOrEqual(connectionDrainMs);
});

test('an instance that is off is waited for until it is gone or heard from again', async () => {
  let state: 'stopped' | 'terminated' = 'stopped';
  const turnOff = (ports: Ports): Ports => ({
    ...ports,
    pools: { ...ports.pools, observeInstance: async () => state },
  });
  const { world, activities, step, input } = await openScene(turnOff);
  const [silent] = world.nodes;
  if (silent === undefined) throw new Error('no node');
  losePower(world, silent);
  const asked = world.clock.now();
  silent.unknownSince = asked;
  later(world, 60_000, () => {
    state = 'terminated';
  });
  await step('await reachable', async () => await activities.awaitReachable(input));
  expect(world.clock.now() - asked).toBeGreaterThanOrEqual(60_000);
});
