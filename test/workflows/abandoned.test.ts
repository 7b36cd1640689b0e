/** Nodes whose run has ended before them finish or are restored by their own workflow, without an operator. */
import { ApplicationFailure } from '@temporalio/activity';
import { type WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { cleanUp } from '../../client/cleanup.ts';
import type { NodeStatus } from '../../core/status/status.ts';
import { abortUpdate, nodeReplacementId, resumeUpdate } from '../../workflows/messages.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { setBudget } from '../simulator/disturbances.ts';
import { createSimPorts } from '../simulator/ports.ts';
import type { World } from '../simulator/world.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import type { Harness, UpgradeFunction } from '../support/temporal-harness.ts';
import { type Upgrade, upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };
const first = 'ip-10-0-0-1';
const unwanted = 'terminated by mistake';

/** The workflow of the first node. */
function workflowOfFirst(harness: Harness, { workflowId }: WorkflowHandle<UpgradeFunction>) {
  const [, cluster = ''] = workflowId.split('/');
  return harness.workflow(nodeReplacementId(cluster, 'web', 'run-1', first));
}

function leftoversOnFirst(world: World): readonly string[] {
  const pods = world.pods.filter(
    ({ node, endpointsRemoved, terminating }) => node === first && endpointsRemoved && !terminating,
  );
  return [...ownershipOf(world).filter((mark) => mark.startsWith(`node ${first}:`)), ...pods.map(({ name }) => name)];
}

function expectBackIn(world: World): void {
  expect(leftoversOnFirst(world), world.log.join('\n')).toEqual([]);
  const node = world.nodes.find(({ name }) => name === first);
  expect(node).toMatchObject({ cordoned: false, labels: {}, taints: [] });
  for (const { targets } of world.services.filter(({ type }) => type === 'LoadBalancer'))
    expect(targets.map(({ instanceId }) => instanceId)).toContain(node?.instanceId);
}

describe('a node whose run is terminated', () => {
  test.each(
    someOf(['awaitDeregistered', 'awaitConnectionsDrained', 'evictPods', 'awaitReplacements', 'removeEndpoints'], 3),
  )('at %s is restored and uncordoned, and its status says that its run is gone', async (step) => {
    const { world, start } = upgradeOf();
    let terminated = false;
    const { harness, handle } = await start({
      before: async (begun) => {
        if (begun !== step || terminated) return;
        terminated = true;
        await handle.terminate(unwanted);
      },
    });
    await expect(handle.result()).rejects.toThrow();
    const status: NodeStatus = await workflowOfFirst(harness, handle).result();
    expect(status).toMatchObject({ step: 'restored', restoredBecause: 'its run run-1 is gone' });
    expectBackIn(world);
    expectNothingLost(world);
  });

  test('while its instance terminates is replaced to the end', async () => {
    const { world, start } = upgradeOf();
    let terminated = false;
    const { harness, handle } = await start({
      before: async (begun) => {
        if (begun !== 'terminateNode' || terminated) return;
        terminated = true;
        await handle.terminate(unwanted);
      },
    });
    await expect(handle.result()).rejects.toThrow();
    const status: NodeStatus = await workflowOfFirst(harness, handle).result();
    expect(status.step).toBe('replaced');
    expect(leftoversOnFirst(world)).toEqual([]);
    expectNothingLost(world);
  });

  variation('while its instance can’t be terminated is restored', async () => {
    const { world, harness, handle } = await upgradeOf().start({
      before: async (begun, [input]) => {
        if (begun !== 'terminateNode' || (input as { isAborted: boolean }).isAborted) return;
        await handle.terminate(unwanted).catch(() => undefined);
        throw ApplicationFailure.nonRetryable('you are not authorized to perform this operation', 'Forbidden');
      },
    });
    await expect(handle.result()).rejects.toThrow();
    const status: NodeStatus = await workflowOfFirst(harness, handle).result();
    expect(status.step).toBe('restored');
    expect(world.terminations.size).toBe(0);
    expectBackIn(world);
    expectNothingLost(world);
  });

  variation('while it is stalled is restored', async () => {
    const { world, start } = upgradeOf();
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'evictPods') setBudget(world, 'api', 0);
      },
    });
    await harness.until(handle, 'the first node is stalled', ({ nodes }) =>
      nodes.some(({ node, step }) => node.name === first && step === 'stalled'),
    );
    await handle.terminate(unwanted);
    const status: NodeStatus = await workflowOfFirst(harness, handle).result();
    expect(status.step).toBe('restored');
    expect(status).not.toHaveProperty('problem');
    expectBackIn(world);
    expectNothingLost(world);
  });
});

describe('restoring a node whose run is gone', () => {
  /** Has restoring the first node fail `times` times, and terminates the run as soon as pods leave that node. */
  async function failToRestore(start: Upgrade['start'], times: number) {
    let failed = 0;
    let terminated = false;
    const { harness, handle } = await start({
      before: async (begun, [input]) => {
        if (begun === 'restoreNode' && (input as { node: { name: string } }).node.name === first) {
          failed += 1;
          if (failed <= times) throw ApplicationFailure.nonRetryable('no access', 'Forbidden');
        }
        if (begun !== 'evictPods' || terminated) return;
        terminated = true;
        await handle.terminate(unwanted);
      },
    });
    await expect(handle.result()).rejects.toThrow();
    return { harness, handle, node: workflowOfFirst(harness, handle) };
  }

  test('is retried without an operator', async () => {
    const { world, start } = upgradeOf();
    const { node } = await failToRestore(start, 3);
    const status: NodeStatus = await node.result();
    expect(status).toMatchObject({ step: 'restored', restoredBecause: 'its run run-1 is gone' });
    expect(status).not.toHaveProperty('problem');
    expectBackIn(world);
    expectNothingLost(world);
  });

  test('that never succeeds fails with what happened and what to do, and a cleanup does it', async () => {
    const { world, start } = upgradeOf();
    const { node, handle, harness } = await failToRestore(start, Number.POSITIVE_INFINITY);
    const [, cluster = ''] = handle.workflowId.split('/');
    const failure: unknown = await node.result().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      cause: {
        type: 'RollbackIncomplete',
        message: `${first} is left as it is, because its run run-1 is gone and 6 attempts failed: no access`,
        details: [{ hint: expect.stringContaining(`nodeferry cleanup ${cluster}/web`) }, { step: 'stalled' }],
      },
    });
    expect(leftoversOnFirst(world)).not.toEqual([]);
    await harness.stop();
    world.clock.advance(5 * 60_000);
    const { cluster: kubernetes, pools, clock, loadBalancers } = createSimPorts(world);
    const target = { cluster, region: 'eu-west-1', provider: 'eks', pool: 'web', runs: undefined };
    const openBalancers = () => loadBalancers;
    await cleanUp({ cluster: kubernetes, pools, clock, openBalancers }, target, 'cleanup-ann', () => undefined);
    world.clock.advance(10 * 60_000);
    expectNothingLeft(world, 8);
    expectNothingLost(world);
  });

  variation('in an abort finds out by itself that the run was terminated after the node had stalled', async () => {
    const { world, start } = upgradeOf();
    let isFixed = false;
    let asked: Promise<unknown> | undefined;
    const { harness, handle } = await start({
      before: async (begun) => {
        if (begun === 'evictPods') asked ??= handle.executeUpdate(abortUpdate, { args: [operator] });
        if (begun === 'restoreNode' && !isFixed) throw ApplicationFailure.nonRetryable('no access', 'Forbidden');
      },
    });
    await harness.until(handle, 'asks', ({ stalled }) => stalled !== undefined);
    await asked;
    await handle.terminate(unwanted);
    isFixed = true;
    const status: NodeStatus = await workflowOfFirst(harness, handle).result();
    expect(status.step).toBe('restored');
    expectBackIn(world);
    expectNothingLost(world);
  });
});

test('a node that a reset run does not know is restored by its own workflow, and the run replaces it again', async () => {
  const { world, start } = upgradeOf();
  let isReset = false;
  const { harness, handle } = await start({
    before: async (begun) => {
      if (begun !== 'awaitConnectionsDrained' || isReset) return;
      isReset = true;
      await harness.resetToFirstChild(handle.workflowId);
    },
  });
  const again = harness.workflow(handle.workflowId) as WorkflowHandle<UpgradeFunction>;
  await expect(handle.result()).rejects.toThrow();
  const asking = await harness.until(again, 'stalled', ({ stalled }) => stalled !== undefined);
  expect(asking.stalled?.message).toMatch(/can't start: workflow .* runs already/);
  const status: NodeStatus = await workflowOfFirst(harness, handle).result();
  expect(status).toMatchObject({ step: 'restored', restoredBecause: 'its run run-1 is gone' });
  await again.executeUpdate(resumeUpdate, { args: [operator] });
  const report = await harness.finish(again);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 4);
});
