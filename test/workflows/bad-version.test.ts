/** A version of the nodes on which pods never become Ready: the run can be aborted. */
import { expect, test } from 'vitest';
import { abortUpdate } from '../../workflows/messages.ts';
import { podSurgePolicy, scenarioPolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** No pod of `web` ever passes its readiness probe on a node of the new pool. */
function failOnNewNodes(world: World): void {
  world.clock.onPassage(() => {
    const bad = new Set(world.nodes.filter(({ pool }) => pool === 'web-new').map(({ name }) => name));
    for (const pod of world.pods) if (pod.of === 'web') pod.failing = bad.has(pod.node ?? '');
  });
}

test.each([
  [
    'evicts',
    2,
    scenarioPolicy({ guard: { defaultMinServing: 0.5, minServing: {}, maxInFlight: 4, acceptUnprotected: [] } }),
  ],
  ['surges pods', 4, podSurgePolicy()],
])(
  'an abort of a run that %s, and stalls with %i pods serving, ends by itself with everything as before',
  async (_, serving, policy) => {
    const { world, start } = upgradeOf({ policy });
    failOnNewNodes(world);
    const { harness, handle } = await start();
    await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(world.pods.filter(({ of, ready }) => of === 'web' && ready)).toHaveLength(serving);
    await handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'a bad version' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.pods.filter(({ of, ready }) => of === 'web' && ready)).toHaveLength(4);
  },
);
