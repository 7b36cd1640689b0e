import { expect, test } from 'vitest';
import { packagesLoadedByModule } from '../../support/loaded-modules.ts';

test('the adapter loads Google’s clients, which take half a second of CPU, only when it calls something', () => {
  expect(packagesLoadedByModule('adapters/gke/node-pools.ts')).toEqual([]);
});
