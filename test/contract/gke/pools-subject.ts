import { deleteInstance } from '../../../lab/gcp/compute/groups.ts';
import type { PoolsSubject } from '../cases/pools-subject.ts';
import { openBench, poolIn } from './support.ts';

/** The GKE adapter, before the simulated Google. */
export async function openGkePools(): Promise<PoolsSubject> {
  const { gcp, cloudClock, pools, web } = await openBench();
  return {
    pools,
    web,
    other: { ...web, name: 'other' },
    cloud: {
      settle: () => cloudClock.advance(70_000),
      begin: () => cloudClock.advance(1_000),
      refuseLaunches: () => gcp.faults.stockOut(),
      allowLaunches: () => gcp.faults.clear(),
      suspend: async ({ name }, process) => {
        const pool = poolIn(gcp, name);
        if (process !== 'repair') throw new Error(`nobody suspends ${process}`);
        pool.spec = { ...pool.spec, management: { ...pool.spec.management, autoRepair: false } };
      },
      suspended: ({ name }) => {
        const { autoscaling, management } = poolIn(gcp, name).spec;
        return [
          ...(management?.autoRepair === true ? [] : ['repair']),
          ...(autoscaling?.enabled === true ? [] : ['scale']),
          ...(management?.autoUpgrade === true ? [] : ['upgrade']),
        ];
      },
      fewest: ({ name }) => {
        const { autoscaling, locations } = poolIn(gcp, name).spec;
        if (autoscaling?.enabled !== true) return 0;
        return autoscaling.totalMinNodeCount || (autoscaling.minNodeCount ?? 0) * (locations?.length ?? 0);
      },
      terminateInstance: async (name) => {
        const instance = [...gcp.model.instances.values()].find((one) => one.name === name);
        if (instance === undefined) throw new Error(`no instance ${name}`);
        deleteInstance(gcp.model, instance);
      },
    },
    close: async () => undefined,
  };
}
