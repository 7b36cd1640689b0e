import type { PoolCapability, PoolRef } from '../core/model/pool.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { NodePoolProvider, PoolCapabilities } from '../ports/node-pools.ts';
import type { ProviderPools, ProviderTraits } from '../ports/provider.ts';

/** One provider: what it is like, and its node pools. */
interface OpenProvider {
  readonly traits: ProviderTraits;
  readonly pools: NodePoolProvider;
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
  const poolsOf = (ref: PoolRef) => provider(ref).pools;
  return {
    traitsOf: (ref) => provider(ref).traits,
    capabilitiesOf: (ref) => provider(ref).pools,
    describePool: async (ref) => await poolsOf(ref).describePool(ref),
    findPool: async (ref) => await poolsOf(ref).findPool(ref),
    observeInstances: async (ref) => await poolsOf(ref).observeInstances(ref),
    observeInstance: async (ref, instanceId) => await poolsOf(ref).observeInstance(ref, instanceId),
    terminateInstance: async (ref, instanceId) => await poolsOf(ref).terminateInstance(ref, instanceId),
  };
}

/** A capability that a step can't do without. @throws NodeferryError ProviderRefused, in the words of a provider that does not have it */
export function requireCapability<C extends PoolCapability>(
  pools: Pick<ProviderPools, 'capabilitiesOf' | 'traitsOf'>,
  ref: PoolRef,
  name: C,
): NonNullable<PoolCapabilities[C]> {
  const capability = pools.capabilitiesOf(ref)[name];
  if (capability !== undefined) return capability;
  const { title, lacks } = pools.traitsOf(ref);
  const lack = lacks[name] ?? { message: `${title} can't do that`, hint: 'Abort the run.' };
  throw new NodeferryError({ code: 'ProviderRefused', ...lack, message: `pool ${ref.name}: ${lack.message}` });
}
