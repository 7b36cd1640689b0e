/** A run that hands over and is aborted once its first wave has gone: as many new nodes stay as old ones have ended. */
import { describe, expect, test } from 'vitest';
import { createScenario, podSurgePolicy } from '../simulator/scenario.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

/** Four nodes go two by two, because no more pods may be doubled, or no more new nodes may be there. */
const twoByTwo = {
  'half of the pods': { nodeSurge: { share: 1 }, max: 0.5 },
  'half of the nodes': { nodeSurge: { share: 0.5 }, max: 1 },
} as const;

describe.each(Object.entries(twoByTwo))('with %s at a time', (_, { nodeSurge: surge, max: surplus }) => {
  test.each([
    ['surgePods', 2],
    ['excludeNext', 2],
    ['awaitConnectionsDrained', 3],
    ['evictPods', 3],
    ['removeEndpoints', 4],
    ['terminateNode', 3],
  ] as const)(
    'aborted when %s begins for the %i. time, loses nothing and leaves nothing of its own',
    async (step, nth) => {
      const world = createScenario();
      await upgradeAndAbort(world, podSurgePolicy({ max: surplus }, { nodeSurge: surge }), { step, nth });
      expectNothingLost(world);
      expectNothingLeft(world, 4);
      expect([...world.fewestServing.values()]).toEqual([4, 4]);
      for (const app of ['web', 'api'])
        expect(world.pods.filter(({ of, terminating }) => of === app && !terminating)).toHaveLength(4);
    },
  );
});
