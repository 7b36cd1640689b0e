import { expect, test } from 'vitest';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import type { PoolCapability } from '../../core/model/pool.ts';
import { providerNames } from '../../wiring/provider-names.ts';
import { openNodePools } from '../../wiring/providers.ts';

const capabilities: readonly PoolCapability[] = ['replacement', 'size', 'inPlace'];

test.each(providerNames)('provider %s says in its own words what it can not do, and nothing else', (provider) => {
  const pools = openNodePools({ clock: systemClock, google: {} });
  const lacking = capabilities.filter((name) => pools.capabilitiesOf({ provider })[name] === undefined);
  expect(Object.keys(pools.traitsOf({ provider }).lacks).toSorted()).toEqual(lacking.toSorted());
});
