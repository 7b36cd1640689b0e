/** A run with pod surge that is aborted after its first wave: as many new nodes stay as old ones were replaced. */
import { describe, expect, test } from 'vitest';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** Four nodes are replaced two by two, because the policy allows no more surged pods, or no more new nodes. */
const twoByTwo = {
  'half of the pods': { nodeSurge: { share: 1 }, max: 0.5 },
  'half of the nodes': { nodeSurge: { share: 0.5 }, max: 1 },
} as const;

describe.each(Object.entries(twoByTwo))('with %s at a time', (_, { nodeSurge: surge, max: surplus }) => {
  test.each(
    someOf(
      [
        ['surgePods', 2],
        ['excludeNext', 2],
        ['awaitConnectionsDrained', 3],
        ['evictPods', 3],
        ['removeEndpoints', 4],
        ['terminateNode', 3],
      ],
      3,
    ),
  )('an abort when %s begins for the %i. time loses no request and leaves nothing behind', async (step, nth) => {
    const upgrade = upgradeOf({ podSurge: { max: surplus }, policy: { nodeSurge: surge } });
    const { world } = upgrade;
    await upgradeAndAbort(upgrade, { step, nth });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect([...world.fewestServing.values()]).toEqual([4, 4]);
    for (const app of ['web', 'api'])
      expect(world.pods.filter(({ of, terminating }) => of === app && !terminating)).toHaveLength(4);
  });
});
