import { isLive, type PoolFacts, type PoolRef } from '../../core/model/pool.ts';
import type { Guarded, ManagedNodePools } from '../../ports/node-pools.ts';
import type { GcpOptions } from '../gcp/options.ts';
import { findAttached } from './attached.ts';
import { createClients, type GkeClients } from './clients.ts';
import { createPool } from './create.ts';
import { deletePool, listReplacements } from './delete.ts';
import { mapInstances, mapLaunchErrors, mapPool } from './map.ts';
import { requireMayCreate } from './may-create.ts';
import { findPool, observePool, type PoolObservation, readLaunchErrors, requirePool } from './observe.ts';
import { findMissingPermissions } from './permissions.ts';
import { resize, restoreSize, trimPool } from './sizes.ts';
import { findOrphaned, restoreScaling, suspendFirst, suspendScaling } from './suspend.ts';
import { observeInstance, terminateMember } from './terminate.ts';

/** How the GKE adapter works. */
interface GkeOptions extends Omit<GcpOptions, 'project'> {
  /** Project of the clusters and their VMs: always the same, or that of each pool. */
  readonly project: string | ((ref: Pick<PoolRef, 'locator'>) => Promise<string>);
  /** Time between two checks of an operation, ms. Default 2,000. */
  readonly pollIntervalMs?: number;
  /** Longest wait for an operation, ours or somebody else's that comes before it, ms. Default 300,000. */
  readonly operationTimeoutMs?: number;
}

/**
 * Node pools of GKE. `region` of a pool is the location of its cluster: a region, or a zone. The instance ID is the name of the VM, which is also the
 * name of its Node. What suspending the scaling of a pool changes is returned to the caller, which keeps it for the rollback, and kept in a label of
 * the nodes of the pool. Restoring uses both, so that nothing is lost when an answer is lost.
 */
export function createGkeNodePools({ project, ...options }: GkeOptions): ManagedNodePools {
  const clientsOf = clientsByProject(project, options);
  const withClients = async <T>(
    ref: PoolRef,
    act: (clients: GkeClients) => Promise<T>,
    { beforeChange }: Guarded = {},
  ): Promise<T> => await act({ ...(await clientsOf(ref)), ...(beforeChange && { beforeChange }) });
  return {
    describePool: async (ref) =>
      await withClients(ref, async (clients) => await poolFacts(clients, await requirePool(clients, ref))),
    findPool: async (ref) =>
      await withClients(ref, async (clients) => {
        const observation = await findPool(clients, ref);
        return observation && (await poolFacts(clients, observation));
      }),
    observeInstances: async (ref) =>
      await withClients(ref, async (clients) => mapInstances((await requirePool(clients, ref)).groups)),
    observeInstance: async (ref, instanceId) =>
      await withClients(ref, async (clients) => await observeInstance(clients, ref, instanceId)),
    terminateInstance: async (ref, instanceId) =>
      await withClients(ref, async (clients) => await terminateMember(clients, ref, instanceId)),
    replacement: {
      findReplacements: async (ref) => await withClients(ref, async (clients) => await findReplacements(clients, ref)),
      requireMayCreate: async ({ source, target }) =>
        await withClients(source, async (clients) => await requireMayCreate(clients, source, target)),
      createPool: async ({ source, ...request }) =>
        await withClients(source, async (clients) => await createPool(clients, source, request), request),
      resize: async (ref, request) =>
        await withClients(ref, async (clients) => await resize(clients, ref, request), request),
      deletePool: async (ref, { onlyIfCreatedBy, ...guard }) =>
        await withClients(ref, async (clients) => await deletePool(clients, ref, onlyIfCreatedBy), guard),
    },
    size: {
      restoreSize: async (ref, request) =>
        await withClients(ref, async (clients) => await restoreSize(clients, ref, request), request),
      trimPool: async (ref) => await withClients(ref, async (clients) => await trimPool(clients, ref)),
    },
    scaling: {
      suspend: async (ref, options) =>
        await withClients(ref, async (clients) => await suspendScaling(clients, ref), options),
      suspendFirst: async (ref, options) =>
        await withClients(ref, async (clients) => await suspendFirst(clients, ref), options),
      restore: async (ref, token) =>
        await withClients(ref, async (clients) => await restoreScaling(clients, ref, token)),
      findOrphaned: async (ref) => await withClients(ref, async (clients) => await findOrphaned(clients, ref)),
    },
    findAttached: async (ref) => await withClients(ref, async (clients) => await findAttached(clients, ref)),
    findMissingPermissions: async (ref) =>
      await findMissingPermissions({ ...options, project: await projectOf(project, ref) }),
  };
}

/** One set of clients for each project. */
function clientsByProject(
  project: GkeOptions['project'],
  options: Omit<GkeOptions, 'project'>,
): (ref: PoolRef) => Promise<GkeClients> {
  const opened = new Map<string, GkeClients>();
  const timing = {
    pollIntervalMs: options.pollIntervalMs ?? 2_000,
    operationTimeoutMs: options.operationTimeoutMs ?? 300_000,
  };
  return async (ref) => {
    const name = await projectOf(project, ref);
    const clients = opened.get(name) ?? createClients({ ...options, project: name }, timing);
    opened.set(name, clients);
    return clients;
  };
}

async function projectOf(project: GkeOptions['project'], ref: Pick<PoolRef, 'locator'>): Promise<string> {
  return typeof project === 'string' ? project : await project(ref);
}

async function findReplacements(clients: GkeClients, ref: PoolRef): Promise<readonly PoolFacts[]> {
  const found: PoolFacts[] = [];
  for (const pool of await listReplacements(clients, ref)) {
    const wanted = { ...ref, name: pool.name ?? '' };
    found.push(await poolFacts(clients, await observePool(clients, wanted, pool)));
  }
  return found;
}

/** Facts of a pool. When instances are missing, their groups are asked for the reason: GKE itself tells it only when it has given up. */
async function poolFacts(clients: GkeClients, observation: PoolObservation): Promise<PoolFacts> {
  const facts = mapPool(observation, []);
  const here = facts.instances.filter(isLive).length;
  if (here >= facts.desiredSize) return facts;
  const errors = await Promise.all(
    observation.groups.map((group) => readLaunchErrors(clients, observation.ref, group)),
  );
  return mapPool(observation, mapLaunchErrors(errors.flat()));
}
