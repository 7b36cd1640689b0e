/** Nodes are drained without new ones: their pods move to nodes that stay. */
import { describe, expect, test } from 'vitest';
import { abortUpdate, nodeReplacementId, resumeUpdate } from '../../workflows/messages.ts';
import type { World } from '../simulator/world.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { drainOf } from '../support/drain-of.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';
const ask = { by: 'ann', reason: 'a test' };

/** The node is out of service, and nothing of the run is on it. */
function expectDrained(world: World, name: string): void {
  const node = world.nodes.find((one) => one.name === name);
  expect(node).toMatchObject({ cordoned: true });
  expect(node?.labels).toHaveProperty([excludeLabel], 'true');
  expect(Object.keys(node?.annotations ?? {}).filter((key) => key.startsWith('nodeferry.dev'))).toEqual([]);
  expect(world.pods.filter((pod) => pod.node === name && pod.of !== 'agent')).toEqual([]);
}

describe('a drain', () => {
  test.each([
    { drained: [0], mode: 'auto' as const },
    { drained: [0, 1], mode: 'auto' as const },
    { drained: [0, 3], mode: 'off' as const },
  ])('empties nodes $drained (pod surge $mode), loses nothing, and leaves them out of service', async (scene) => {
    const { drained, mode } = scene;
    const { world, policy, start } = drainOf({ drained, podSurge: { mode } });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);

    expect(report).toMatchObject({ outcome: 'completed', drain: 'keep', newNodes: [] });
    expectNothingLost(world);
    expect(report.nodes.map(({ step }) => step)).toEqual(drained.map(() => 'drained'));
    for (const { name } of policy.selection?.nodes ?? []) expectDrained(world, name);
    expect(report.leftovers).toEqual([expect.stringMatching(/drained; stays cordoned .*kubectl uncordon/)]);
    expect(world.terminations.size).toBe(0);
    expect(world.pools).toMatchObject([{ name: 'web', desiredSize: 4, minSize: 1, suspended: [] }]);
    expect([...world.leases.keys()]).toEqual([]);
  });

  test('that terminates lowers the size of the pool by the nodes that go, and restores its scaling', async () => {
    const { world, start } = drainOf({ drained: [1, 2], terminate: true });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);

    expect(report).toMatchObject({ outcome: 'completed', drain: 'terminate', leftovers: [] });
    expect(report.nodes.map(({ step }) => step)).toEqual(['removed', 'removed']);
    expectNothingLost(world);
    expectNothingLeft(world, 2);
    expect(world.terminations.size).toBe(2);
    expect(world.pools).toMatchObject([{ name: 'web', desiredSize: 2, minSize: 1, suspended: [] }]);
  });

  test.each(someOf(['surgePods', 'evictPods', 'confirmEmpty', 'keepDrained'], 2))(
    'that is aborted in %s restores its nodes',
    async (step) => {
      const drain = drainOf({ drained: [0, 1] });
      if (step === 'keepDrained') return await expectTooLateToAbort(drain);
      const report = await upgradeAndAbort(drain, { step });
      expect(report.leftovers).toEqual([]);
      expectNothingLost(drain.world);
      expectNothingLeft(drain.world, 4);
    },
  );

  test('whose pods find no room stalls while they keep serving, says what is missing, and continues once there is room', async () => {
    const { world, start } = drainOf({ drained: [0] });
    const web = world.workloads.find(({ name }) => name === 'web');
    if (web !== undefined) web.fillsNode = true as const;
    const { harness, handle } = await start();
    const { stalled } = await harness.until(handle, 'it is stalled', (status) => status.stalled !== undefined);

    expect(stalled?.message).toContain('default/web');
    expect(stalled?.hint).toContain('Make room');
    const serving = world.pods.filter((pod) => pod.of === 'web' && pod.ready && !pod.terminating);
    expect(serving).toHaveLength(4);

    if (web !== undefined) delete web.fillsNode;
    world.changed();
    await handle.executeUpdate(resumeUpdate, { args: [ask] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
  });

  test('whose node is cancelled in the Temporal UI restores it and stalls; after a resume, it drains it', async () => {
    const { world, policy, start } = drainOf({ drained: [0] });
    const [name = ''] = policy.selection?.nodes.map((node) => node.name) ?? [];
    let cancel = async (): Promise<unknown> => undefined;
    const { harness, handle } = await start({
      before: async (step) => {
        if (step === 'awaitConnectionsDrained') await cancel();
      },
    });
    const { cluster } = await harness.until(handle, 'its node is in progress', ({ nodes }) =>
      nodes.some(({ step }) => step === 'replacing'),
    );
    cancel = async () => {
      cancel = async () => undefined;
      await harness.workflow(nodeReplacementId(cluster, 'web', 'run-1', name)).cancel();
    };
    await harness.until(handle, 'it is stalled', ({ stalled }) => stalled !== undefined);
    const node = world.nodes.find((one) => one.name === name);
    expect(node?.labels).not.toHaveProperty([excludeLabel]);

    await handle.executeUpdate(resumeUpdate, { args: [ask] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectDrained(world, name);
  });

  test('of every node of a load balancer is refused before anything is touched', async () => {
    const { world, start } = drainOf({ drained: [0, 1, 2, 3] });
    const { handle } = await start();
    const { type, report } = await failureOfRun(handle);

    expect(type).toBe('PreflightRefused');
    expect(report.stalled?.message ?? '').toContain('GRD-002 service default/api');
    expect(world.nodes.filter(({ cordoned }) => cordoned)).toEqual([]);
  });

  test('leaves out a node that is gone by then', async () => {
    const { world, policy, start } = drainOf({ drained: [0] });
    const gone = { name: 'ip-10-0-9-9', uid: 'gone' };
    const selection = { nodes: [...(policy.selection?.nodes ?? []), gone], terminate: false };
    const { harness, handle } = await start({}, { policy: { ...policy, selection } });
    expect((await harness.finish(handle)).nodes).toHaveLength(1);
    expectNothingLost(world);
  });

  test('stays away from nodes that another run has marked', async () => {
    const { world, start } = drainOf({ drained: [0] });
    const [node] = world.nodes;
    if (node !== undefined) node.annotations['nodeferry.dev/cordoned-by'] = 'run-other';
    const { handle } = await start();
    const { type, report } = await failureOfRun(handle);
    expect(type).toBe('PreflightRefused');
    expect(report.stalled?.message ?? '').toContain('run run-other has marked it');
  });
});

/** Every node is drained: there is nothing left to abort. */
async function expectTooLateToAbort({ world, start }: ReturnType<typeof drainOf>): Promise<void> {
  let answer: Promise<unknown> | undefined;
  const { harness, handle } = await start({
    before: async (step) => {
      if (step !== 'keepDrained') return;
      answer ??= handle.executeUpdate(abortUpdate, { args: [ask] }).catch((error: unknown) => error);
    },
  });
  const report = await harness.finish(handle);
  expect(await answer).toBeInstanceOf(Error);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
}
