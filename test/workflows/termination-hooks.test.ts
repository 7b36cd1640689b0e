/** Runs on pools with a lifecycle hook, which keeps an instance running after its end was requested. EKS gives every managed node group one. */
import { expect, test } from 'vitest';
import { abortUpdate } from '../../workflows/messages.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'the drain of EKS hangs' };

function sceneWithHook(terminationHookMs: number) {
  const upgrade = upgradeOf();
  for (const pool of upgrade.world.pools) Object.assign(pool, { terminationHookMs });
  return upgrade;
}

test('an upgrade waits for each hook', async () => {
  const { world, start } = sceneWithHook(4 * 60_000);
  const { harness, handle } = await start();
  expect((await harness.finish(handle)).outcome, world.log.join('\n')).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});

test('an abort past the deadline restores no node whose instance ends when its hook does', async () => {
  const { world, start } = sceneWithHook(15 * 60_000);
  const { harness, handle } = await start();
  await harness.until(handle, 'a node is stalled', ({ nodes }) => nodes.some(({ step }) => step === 'stalled'));
  await handle.executeUpdate(abortUpdate, { args: [operator] });
  const report = await harness.finish(handle);
  expect(report.outcome, world.log.join('\n')).toBe('aborted');
  expect(world.terminations.size).toBeGreaterThan(0);
  const ended = report.nodes.filter(({ node }) => world.terminations.has(node.instanceId));
  expect(ended.map(({ step }) => step)).toEqual(ended.map(() => 'replaced'));
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});
