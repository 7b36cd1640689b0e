import { expect, test } from 'vitest';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { noProvider, type PoolCapability } from '../../core/model/pool.ts';
import { providerSections } from '../../policy-file/providers/sections.ts';
import { providerNodeLabels, providerOfNode } from '../../wiring/cluster.ts';
import { openNodePools } from '../../wiring/node-pools.ts';
import { providerNames } from '../../wiring/providers.ts';

const capabilities: readonly PoolCapability[] = ['replacement', 'size', 'inPlace'];

test.each(providerNames)('provider %s says in its own words what it can not do, and nothing else', (provider) => {
  const pools = openNodePools({ clock: systemClock, google: {} });
  const lacking = capabilities.filter((name) => pools.capabilitiesOf({ provider })[name] === undefined);
  expect(Object.keys(pools.traitsOf({ provider }).lacks).toSorted()).toEqual(lacking.toSorted());
});

test('every provider of a cloud has a section in policies, and labels by which its nodes are recognized', () => {
  const ofClouds = providerNames.filter((name) => name !== noProvider);
  expect(Object.keys(providerSections)).toEqual(ofClouds);
  expect(providerNodeLabels.map((poolLabels) => providerOfNode({ poolLabels }))).toEqual(ofClouds);
});
