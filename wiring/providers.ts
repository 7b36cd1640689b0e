import { once } from '../adapters/calls/once.ts';
import { createNoNodePools } from '../adapters/no-provider/node-pools.ts';
import { loadPools } from '../operations/load-pools.ts';
import { poolsByProvider } from '../operations/pools-by-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodePoolProvider } from '../ports/node-pools.ts';
import type { ProviderPools } from '../ports/provider.ts';
import { type GoogleSettings, googleFromEnvironment } from './environment.ts';
import { openGkePools } from './gke-pools.ts';
import type { ProviderName } from './provider-names.ts';
import { providerTraits } from './provider-traits.ts';

/** How the node pools are opened. */
interface PoolOptions {
  readonly clock: Clock;
  /** Default: what the environment of the process says. */
  readonly google?: GoogleSettings;
}

/** All providers: the only place that knows which name stands for which adapter. What adding one takes is in CONTRIBUTING.md. */
const providers: Readonly<Record<ProviderName, (options: Required<PoolOptions>) => NodePoolProvider>> = {
  eks: openEksPools,
  gke: openGkePools,
  none: createNoNodePools,
};

/** Node pools of EKS. Their SDK is loaded at the first call: nobody on another cloud waits for it. */
function openEksPools({ clock }: Pick<PoolOptions, 'clock'>): NodePoolProvider {
  return loadPools(once(async () => (await import('../adapters/eks/node-pools.ts')).createEksNodePools({ clock })));
}

/** The node pools of all providers. Nothing is loaded or connected before the first call. @throws NodeferryError InvalidArgument for a wrong variable */
export function openNodePools({ clock, google = googleFromEnvironment(process.env) }: PoolOptions): ProviderPools {
  const opened = Object.entries(providers).map(([name, open]) => {
    const traits = providerTraits[name as ProviderName];
    return [name, { traits, pools: open({ clock, google }) }];
  });
  return poolsByProvider(Object.fromEntries(opened));
}
