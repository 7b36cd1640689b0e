import { once } from '../adapters/calls/once.ts';
import { createNoNodePools } from '../adapters/no-provider/node-pools.ts';
import { delegatePools, poolsByProvider } from '../operations/pools-by-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodePools } from '../ports/node-pools.ts';
import type { ProviderPools } from '../ports/provider.ts';
import { type GoogleSettings, googleFromEnvironment } from './environment.ts';
import { askGkePermissions, openGkePools } from './gke-pools.ts';
import type { ProviderName } from './provider-names.ts';
import { providerTraits } from './provider-traits.ts';

/** How the node pools are opened. */
interface PoolOptions {
  readonly clock: Clock;
  /** Default: what the environment of the process says. */
  readonly google?: GoogleSettings;
}

/** All providers: the only place that knows which name stands for which adapter. Adding one takes a name, its traits, a line here, and its node labels. */
const providers: Readonly<Record<ProviderName, (options: Required<PoolOptions>) => NodePools>> = {
  eks: openEksPools,
  gke: openGkePools,
  none: createNoNodePools,
};

/** Those that tell what the caller may do. */
const permissions = { gke: askGkePermissions } as const;

/** Node pools of EKS. Their SDK is loaded at the first call: nobody on another cloud waits for it. */
function openEksPools({ clock }: Pick<PoolOptions, 'clock'>): NodePools {
  const load = once(async () => (await import('../adapters/eks/node-pools.ts')).createEksNodePools({ clock }));
  return delegatePools(load);
}

/** The node pools of all providers. Nothing is loaded or connected before the first call. @throws NodeferryError InvalidArgument for a wrong variable */
export function openNodePools({ clock, google = googleFromEnvironment(process.env) }: PoolOptions): ProviderPools {
  const opened = Object.entries(providers).map(([name, open]) => {
    const traits = providerTraits[name as ProviderName];
    const ask = name in permissions ? permissions[name as keyof typeof permissions] : undefined;
    const options = { clock, google };
    return [name, { traits, pools: open(options), ...(ask && { findMissingPermissions: ask(options) }) }];
  });
  return poolsByProvider(Object.fromEntries(opened));
}
