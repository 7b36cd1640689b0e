import { reconcileCluster } from '../../simulator/kubernetes.ts';
import { completePools } from '../../simulator/pool-creation.ts';
import { endBehindBack, fillPool, poolNamed, rebalancePools } from '../../simulator/pools.ts';
import { createSimPools } from '../../simulator/pools-port.ts';
import { createWorld, type World } from '../../simulator/world.ts';
import type { PoolsSubject } from '../cases/pools-subject.ts';

/** The simulated cloud with the pools that the cases speak of. */
export async function openSimulatedPools(): Promise<PoolsSubject> {
  const world = createWorld({
    seed: 1,
    reconcile: (changed) => {
      reconcileCluster(changed);
      completePools(changed);
      rebalancePools(changed);
    },
  });
  addPool(world, 'web', { desiredSize: 4, minSize: 2 });
  addPool(world, 'other', { desiredSize: 2, minSize: 1 });
  const web = { cluster: 'sim', region: 'eu-west-1', provider: 'eks', name: 'web' };
  const settle = () => world.clock.advance(30 * 60_000);
  settle();
  return {
    pools: createSimPools(world),
    web,
    other: { ...web, name: 'other' },
    cloud: {
      settle,
      begin: () => world.clock.advance(world.delays.autoScalingGroup),
      refuseLaunches: () => {
        world.faults.capacity = 0;
      },
      allowLaunches: () => {
        world.faults.capacity = Number.POSITIVE_INFINITY;
      },
      suspend: async ({ name }, process) => {
        poolNamed(world, name).suspended.push(process);
      },
      suspended: ({ name }) => poolNamed(world, name).suspended,
      fewest: ({ name }) => poolNamed(world, name).minSize,
      terminateInstance: async (instanceId) => {
        const instance = world.instances.find((one) => one.instanceId === instanceId);
        if (instance === undefined) throw new Error(`no instance ${instanceId}`);
        endBehindBack(world, instance);
        world.changed();
      },
    },
    close: async () => undefined,
  };
}

function addPool(world: World, name: string, sizes: { desiredSize: number; minSize: number }): void {
  world.pools.push({
    name,
    ...sizes,
    maxSize: 8,
    status: 'active',
    version: '1.35',
    zones: ['eu-west-1a', 'eu-west-1b'],
    labels: { tier: 'web' },
    problems: [],
    suspended: [],
    scales: true,
  });
  fillPool(world, poolNamed(world, name));
}
