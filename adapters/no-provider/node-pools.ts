import type { PoolRef } from '../../core/model/pool.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import type { PoolAccess } from '../../ports/node-pools.ts';

/**
 * Nodes that belong to no pool of a cloud that nodeferry knows. Nothing can be created, resized or terminated, and as far as anybody can tell every
 * instance runs for as long as its node is in the cluster.
 */
export function createNoNodePools(): PoolAccess {
  return {
    describePool: refuse,
    findPool: async () => undefined,
    observeInstances: async () => [],
    observeInstance: async () => 'running',
    terminateInstance: refuse,
  };
}

async function refuse({ name }: PoolRef): Promise<never> {
  throw new NodeferryError({
    code: 'ProviderRefused',
    message: `no cloud is known that could change the nodes of ${name}`,
    hint: 'Drain the nodes without terminating them, and remove the instances yourself.',
  });
}
