import { ApplicationFailure } from '@temporalio/activity';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../core/status/status.ts';
import { abortUpdate, type OperatorRequest, skipUpdate } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type StartedUpgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const ann = { by: 'ann', reason: 'its batch job runs until tomorrow' };
const [first, last] = ['ip-10-0-0-1', 'ip-10-0-0-4'] as const;

const asked = (node: string, more: Partial<OperatorRequest> = {}): { args: [OperatorRequest] } => ({
  args: [{ ...ann, node, ...more }],
});

function nodeOf([input]: readonly unknown[]): string | undefined {
  return (input as { node?: { name: string } }).node?.name;
}

/** Runs an upgrade in which one node is skipped once, before this step; a step of a node counts only for that node. */
async function skipBefore(step: string, node: string, scene: UpgradeScene = {}): Promise<StartedUpgrade & { report: RunReport }> {
  let skipped: Promise<unknown> | undefined;
  const started = await upgradeOf(scene).start({
    before: async (name, args) => {
      const of = nodeOf(args);
      if (name !== step || (of !== undefined && of !== node) || skipped !== undefined) return;
      skipped = started.handle.executeUpdate(skipUpdate, asked(node));
      await skipped;
    },
  });
  const report = await started.harness.finish(started.handle);
  await skipped;
  return { ...started, report };
}

/** The old pool has exactly this node, which serves; the new one has the others; nothing of the run is left. */
function expectKept(world: World, report: RunReport, node: string, size: number): void {
  expect(report.outcome).toBe('completed');
  expect(report.nodes.find((one) => one.node.name === node)).toMatchObject({ step: 'skipped', skipped: ann });
  expectNothingLost(world);
  expectNothingLeft(world, size);
  const left = world.nodes.filter(({ pool }) => pool === 'web');
  expect(left.map(({ name, cordoned, excluded }) => ({ name, cordoned, excluded }))).toEqual([
    { name: node, cordoned: false, excluded: false },
  ]);
  expect(world.pools.map(({ name, desiredSize }) => [name, desiredSize])).toEqual([
    ['web', 1],
    ['web-new', size - 1],
  ]);
  expect(report.leftovers).toEqual([
    `web keeps ${node} (skipped by ann: ${ann.reason}). To replace ${node}: start another upgrade of web with another spec.target.poolName: no run uses web-new, which exists by then`,
  ]);
  expect(report.actions.map(({ action, of }) => [action, of])).toEqual([
    ['start', undefined],
    ['skip', node],
  ]);
}

describe('a skipped node stays in the old pool and serves, and the others are replaced,', () => {
  test.each([
    ['when it is pending', 'createPool', last],
    ['when it is about to be excluded', 'excludeNext', first],
    ['when it is deregistering', 'awaitDeregistered', first],
    ['when its pods are being evicted', 'evictPods', first],
    ['when its pods have been replaced', 'awaitReplacements', first],
    ['when its endpoints are being removed', 'removeEndpoints', first],
  ])('%s', async (_, step, node) => {
    const { world, report } = await skipBefore(step, node);
    expectKept(world, report, node, 4);
  });

  test.each([
    ['before its pods are surged', 'surgePods', first],
    ['after its pods were surged', 'excludeNext', first],
    ['while it is in progress with surged pods', 'evictPods', first],
    ['while it is the last one', 'awaitConnectionsDrained', last],
  ])('with pod surge: %s', async (_, step, node) => {
    const { world, report } = await skipBefore(step, node, { podSurge: { max: 0.5 } });
    expectKept(world, report, node, 4);
  });
});
