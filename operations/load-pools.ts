import type { ManagedNodePools } from '../ports/node-pools.ts';

/** Node pools that are loaded at the first call. */
export function loadPools(load: () => Promise<ManagedNodePools>): ManagedNodePools {
  return {
    describePool: async (ref) => await (await load()).describePool(ref),
    findPool: async (ref) => await (await load()).findPool(ref),
    observeInstances: async (ref) => await (await load()).observeInstances(ref),
    observeInstance: async (ref, instanceId) => await (await load()).observeInstance(ref, instanceId),
    terminateInstance: async (ref, instanceId) => await (await load()).terminateInstance(ref, instanceId),
    replacement: {
      findReplacements: async (ref) => await (await load()).replacement.findReplacements(ref),
      requireMayCreate: async (request) => await (await load()).replacement.requireMayCreate(request),
      createPool: async (request) => await (await load()).replacement.createPool(request),
      resize: async (ref, request) => await (await load()).replacement.resize(ref, request),
      deletePool: async (ref, options) => await (await load()).replacement.deletePool(ref, options),
    },
    size: {
      restoreSize: async (ref, request) => await (await load()).size.restoreSize(ref, request),
      trimPool: async (ref) => await (await load()).size.trimPool(ref),
    },
    scaling: {
      suspend: async (ref, options) => await (await load()).scaling.suspend(ref, options),
      restore: async (ref, token) => await (await load()).scaling.restore(ref, token),
    },
  };
}
