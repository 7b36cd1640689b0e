import type { PoolRef } from '../core/model/pool.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { InPlace } from '../ports/in-place.ts';
import type { NodePools } from '../ports/node-pools.ts';
import type { ProviderPools, ProviderTraits } from '../ports/provider.ts';

/** One provider: what it is like, its node pools, and how it replaces a pool in place if it can. */
interface OpenProvider {
  readonly traits: ProviderTraits;
  readonly pools: NodePools;
  readonly inPlace?: InPlace;
  /** What a worker needs there and the caller lacks, if it can be asked. */
  readonly findMissingPermissions?: (pool: Pick<PoolRef, 'locator'>) => Promise<readonly string[]>;
}

/** The node pools of every provider behind one port: each call goes to the provider of its pool. */
export function poolsByProvider(by: Readonly<Record<string, OpenProvider>>): ProviderPools {
  const provider = ({ provider: name }: Pick<PoolRef, 'provider'>): OpenProvider => {
    const found = Object.hasOwn(by, name) ? by[name] : undefined;
    if (found !== undefined) return found;
    throw new NodeferryError({
      code: 'InvalidPolicy',
      message: `this version knows no provider ${name}`,
      hint: `Use one of ${Object.keys(by).join(', ')}.`,
    });
  };
  return {
    traitsOf: (ref) => provider(ref).traits,
    inPlaceOf: (ref) => provider(ref).inPlace,
    findMissingPermissions: async (ref) => await provider(ref).findMissingPermissions?.(ref),
    ...delegatePools((ref) => provider(ref).pools),
  };
}

/** Node pools of which each call goes to those that `of` chooses for its pool. */
export function delegatePools(of: (ref: PoolRef) => NodePools | Promise<NodePools>): NodePools {
  return {
    describePool: async (ref) => await (await of(ref)).describePool(ref),
    findPool: async (ref) => await (await of(ref)).findPool(ref),
    findReplacements: async (ref) => await (await of(ref)).findReplacements(ref),
    requireMayCreate: async (request) => await (await of(request.source)).requireMayCreate(request),
    createPool: async (request) => await (await of(request.source)).createPool(request),
    resize: async (ref, request) => await (await of(ref)).resize(ref, request),
    restoreSize: async (ref, size) => await (await of(ref)).restoreSize(ref, size),
    trimPool: async (ref) => await (await of(ref)).trimPool(ref),
    suspendScaling: async (ref) => await (await of(ref)).suspendScaling(ref),
    restoreScaling: async (ref, suspended) => await (await of(ref)).restoreScaling(ref, suspended),
    observeInstances: async (ref) => await (await of(ref)).observeInstances(ref),
    terminateInstance: async (ref, instanceId) => await (await of(ref)).terminateInstance(ref, instanceId),
    observeInstance: async (ref, instanceId) => await (await of(ref)).observeInstance(ref, instanceId),
    deletePool: async (ref, options) => await (await of(ref)).deletePool(ref, options),
  };
}
