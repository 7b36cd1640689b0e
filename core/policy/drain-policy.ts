import { noProvider } from '../model/pool.ts';
import type { Policy } from './policy.ts';

/** What is drained, as whoever starts it has chosen. */
interface DrainChoice {
  readonly pool: string;
  readonly nodes: readonly { readonly name: string; readonly uid: string }[];
  readonly terminate: boolean;
  readonly deleteEmptyDirData: boolean;
  readonly force: boolean;
}

/**
 * The policy of a drain: that of an upgrade of the pool without what only concerns new nodes. Upgrade windows and stages do not apply to what
 * somebody starts by hand. A cloud is asked for the pool only if instances are to be terminated.
 */
export function drainPolicy(base: Policy, choice: DrainChoice): Policy {
  const { nodeSurge: _nodeSurge, schedule: _schedule, rollout: _rollout, ...rest } = base;
  const { pool, nodes, terminate, deleteEmptyDirData, force } = choice;
  return {
    ...rest,
    pool: { provider: terminate ? base.pool.provider : noProvider, name: pool },
    selection: { nodes, terminate },
    target: { poolName: '', version: undefined },
    drain: {
      ...rest.drain,
      deleteEmptyDirData: rest.drain.deleteEmptyDirData || deleteEmptyDirData,
      force: rest.drain.force || force,
    },
  };
}
