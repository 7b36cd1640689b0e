import type { PoolFacts } from '../../core/model/pool.ts';
import type { NodePools } from '../../ports/node-pools.ts';
import type { GcpOptions } from '../gcp/options.ts';
import { createClients, type GkeClients } from './clients.ts';
import { createPool } from './create.ts';
import { deletePool, listReplacements } from './delete.ts';
import { mapInstances, mapLaunchErrors, mapPool } from './map.ts';
import { requireMayCreate } from './may-create.ts';
import { findPool, observePool, type PoolObservation, readLaunchErrors, requirePool } from './observe.ts';
import { resize, restoreSize, trimPool } from './sizes.ts';
import { restoreScaling, suspendScaling } from './suspend.ts';
import { observeInstance, terminateMember } from './terminate.ts';

/** How the GKE adapter works. */
interface GkeOptions extends GcpOptions {
  /** Time between two checks of an operation, ms. Default 2,000. */
  readonly pollIntervalMs?: number;
  /** Longest wait for an operation, ours or somebody else's that comes before it, ms. Default 300,000. */
  readonly operationTimeoutMs?: number;
}

/**
 * Node pools of GKE. `region` of a pool is the location of its cluster: a region, or a zone. The instance ID is the name of the VM, which is also the
 * name of its Node. What suspending the scaling of a pool changes is returned to the caller, which keeps it for the rollback, and kept in the resource
 * label `nodeferry-suspended` of the pool. Restoring uses both, so that nothing is lost when an answer is lost.
 */
export function createGkeNodePools(options: GkeOptions): NodePools {
  const clients = createClients(options, {
    pollIntervalMs: options.pollIntervalMs ?? 2_000,
    operationTimeoutMs: options.operationTimeoutMs ?? 300_000,
  });
  return {
    describePool: async (ref) => await poolFacts(clients, await requirePool(clients, ref)),
    async findPool(ref) {
      const observation = await findPool(clients, ref);
      return observation && (await poolFacts(clients, observation));
    },
    async findReplacements(ref) {
      const found: PoolFacts[] = [];
      for (const pool of await listReplacements(clients, ref)) {
        const wanted = { ...ref, name: pool.name ?? '' };
        found.push(await poolFacts(clients, await observePool(clients, wanted, pool)));
      }
      return found;
    },
    requireMayCreate: async ({ source, target }) => await requireMayCreate(clients, source, target),
    createPool: async ({ source, ...request }) => await createPool(clients, source, request),
    resize: async (ref, request) => await resize(clients, ref, request),
    restoreSize: async (ref, size) => await restoreSize(clients, ref, size),
    trimPool: async (ref) => await trimPool(clients, ref),
    suspendScaling: async (ref) => await suspendScaling(clients, ref),
    restoreScaling: async (ref, suspended) => await restoreScaling(clients, ref, suspended),
    observeInstances: async (ref) => mapInstances((await requirePool(clients, ref)).groups),
    terminateInstance: async (ref, instanceId) => await terminateMember(clients, ref, instanceId),
    observeInstance: async (ref, instanceId) => await observeInstance(clients, ref, instanceId),
    deletePool: async (ref, { onlyIfCreatedBy }) => await deletePool(clients, ref, onlyIfCreatedBy),
  };
}

/** Facts of a pool. When instances are missing, their groups are asked for the reason: GKE itself tells it only when it has given up. */
async function poolFacts(clients: GkeClients, observation: PoolObservation): Promise<PoolFacts> {
  const facts = mapPool(observation, []);
  const here = facts.instances.filter(({ state }) => state === 'pending' || state === 'running').length;
  if (here >= facts.desiredSize) return facts;
  const errors = await Promise.all(
    observation.groups.map((group) => readLaunchErrors(clients, observation.ref, group)),
  );
  return mapPool(observation, mapLaunchErrors(errors.flat()));
}
