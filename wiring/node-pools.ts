import { poolsByProvider } from '../operations/pools-by-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderPools } from '../ports/provider.ts';
import { googleFromEnvironment } from './environment.ts';
import type { GoogleSettings } from './google-settings.ts';
import { providers } from './providers.ts';

/** How the node pools are opened. */
interface PoolOptions {
  readonly clock: Clock;
  /** Default: what the environment of the process says. */
  readonly google?: GoogleSettings;
}

/** The node pools of all providers. Nothing is loaded or connected before the first call. @throws NodeferryError InvalidArgument for a wrong variable */
export function openNodePools({ clock, google = googleFromEnvironment(process.env) }: PoolOptions): ProviderPools {
  const opened = Object.entries(providers).map(([name, { traits, open }]) => [
    name,
    { traits, pools: open({ clock, google }) },
  ]);
  return poolsByProvider(Object.fromEntries(opened));
}
