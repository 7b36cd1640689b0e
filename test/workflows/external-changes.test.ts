import { describe, expect, test } from 'vitest';
import { abortUpdate, nodeReplacementId, resumeUpdate } from '../../workflows/messages.ts';
import { restoreLabels } from '../simulator/disturbances.ts';
import { fillPool, poolNamed } from '../simulator/pools.ts';
import type { World } from '../simulator/world.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'fixed' };
const oneByOne = { guard: { maxInFlight: 1 } };

/** Somebody else acquires the lock on the pool, as if the lock of this run had expired. */
function stealLock(world: World): void {
  const name = lockName(world);
  if (world.leases.get(name)?.holder !== 'run-1') return;
  world.leases.set(name, { holder: 'somebody', token: 99, expiresAt: world.clock.now() + 10 * 365 * 24 * 3_600_000 });
}

function lockName(world: World): string {
  return [...world.leases.keys()].find((key) => key.startsWith('nodeferry-')) ?? '';
}

/** Everything that a step of a node could have changed. */
function untouched(world: World) {
  return {
    excluded: world.nodes.filter((node) => node.annotations['nodeferry.dev/excluded-by'] !== undefined).length,
    endpointsRemoved: world.pods.filter((pod) => pod.endpointsRemoved !== undefined).map((pod) => pod.uid),
    leaving: world.pods.filter((pod) => pod.terminating).map((pod) => pod.uid),
    terminations: world.terminations.size,
  };
}

/** Somebody registers all nodes with their load balancers again. */
function registerByHand(world: World): void {
  for (const node of world.nodes) {
    delete node.labels['node.kubernetes.io/exclude-from-external-load-balancers'];
    delete node.annotations['nodeferry.dev/excluded-by'];
  }
}

describe('the lock, lost to somebody else', () => {
  test.each(
    someOf(['awaitDeregistered', 'awaitConnectionsDrained', 'evictPods', 'removeEndpoints', 'terminateNode'], 1),
  )('in the middle: %s changes nothing until the run has acquired it again', async (fenced) => {
    const { world, start } = upgradeOf({ policy: oneByOne });
    let stolen: ReturnType<typeof untouched> | undefined;
    let waits = 0;
    const { harness, handle } = await start({
      before: (step) => {
        if (step !== fenced || stolen !== undefined) return;
        stealLock(world);
        // The new holder uses nodes that this run had excluded.
        if (step === 'awaitConnectionsDrained') registerByHand(world);
        stolen = untouched(world);
      },
      progress: (step, { reason }) => {
        if (step === fenced && reason.includes('somebody holds it')) waits += 1;
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    await harness.until(handle, 'the step waits for the lock', () => waits > 0);
    expect(stalledRun.nodes.some((node) => node.step !== 'pending')).toBe(true);
    expect(untouched(world)).toEqual(stolen);

    world.leases.delete(lockName(world));
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('an abort says who holds it, and ends once the run could acquire it again', async () => {
    const { world, start } = upgradeOf();
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'awaitConnectionsDrained') stealLock(world);
      },
    });
    await harness.until(handle, 'the lock is lost', ({ stalled }) => stalled?.code === 'LockLost');
    harness.hooks.before = () => undefined;
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const held = await harness.until(handle, 'the lock is held', ({ stalled }) => {
      return stalled?.code === 'LockHeld';
    });
    expect(held.stalled?.message).toContain('somebody');

    world.leases.delete(lockName(world));
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('the workflow of one node, cancelled in the Temporal UI', () => {
  test('restores the node and stalls; after a resume, the run replaces it like the others', async () => {
    const { world, start } = upgradeOf({ policy: oneByOne });
    let cancel = async (): Promise<unknown> => undefined;
    const { harness, handle } = await start({
      before: async (step) => {
        if (step === 'awaitConnectionsDrained') await cancel();
      },
    });
    const { cluster } = await harness.until(handle, 'a node in progress', ({ nodes }) => {
      return nodes.some((node) => node.step === 'replacing');
    });
    const [first] = world.nodes.filter((node) => node.pool === 'web').map((node) => node.name);
    const id = nodeReplacementId(cluster, 'web', 'run-1', first ?? '');
    cancel = async () => {
      cancel = async () => undefined;
      await harness.workflow(id).cancel();
    };
    const asking = await harness.until(handle, 'stalled', ({ stalled }) => stalled !== undefined);
    expect(asking.stalled?.message).toBe(`the replacement of ${first} was cancelled by itself; the node was restored`);
    expect(asking.nodes.find(({ node }) => node.name === first)?.step).toBe('pending');
    expect(world.nodes.find((node) => node.name === first)?.annotations['nodeferry.dev/excluded-by']).toBeUndefined();

    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('an instance that joins the old pool', () => {
  test.each(someOf(['evictPods', 'findLateJoiners', 'deletePool'], 1))(
    'during the run (%s) is replaced too, and reported',
    async (step) => {
      const { world, start } = upgradeOf();
      let scaled = false;
      const { harness, handle } = await start({
        before: (begun) => {
          if (begun !== step || scaled) return;
          scaled = true;
          const pool = poolNamed(world, 'web');
          pool.desiredSize += 1;
          fillPool(world, pool);
        },
      });
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
      expect(world.pools.map(({ name }) => name)).toEqual(['web-new']);
      expect(report.nodes.map((node) => node.step)).toEqual(Array.from({ length: 5 }, () => 'replaced'));
      expect(report.externalChanges.map(({ what }) => what)).toContainEqual(
        expect.stringMatching(/joined web during the run; it is replaced too, web-new stays as large as planned$/),
      );
    },
  );
});

describe('the labels of a pod, restored by somebody', () => {
  test('while it leaves: it is removed from its endpoints again, leaves, and is reported', async () => {
    const { world, start } = upgradeOf();
    let struck = false;
    world.clock.onPassage(() => {
      const pod = world.pods.find(
        ({ endpointsRemoved, of, terminating }) => endpointsRemoved !== undefined && of === 'web' && !terminating,
      );
      if (struck || pod === undefined) return;
      struck = true;
      restoreLabels(world, pod);
    });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(struck).toBe(true);
    expect(report.nodes.flatMap((node) => node.externalChanges ?? [])).toContainEqual(
      expect.objectContaining({ what: expect.stringMatching(/default\/web selects it again by label app/) }),
    );
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each(someOf(['awaitConnectionsDrained', 'adoptPods'], 1))(
    'of a released pod, at %s of a run that rolls back: the label of the run is removed',
    async (at) => {
      const upgrade = upgradeOf({ podSurge: {} });
      const { world } = upgrade;
      let struck = false;
      await upgradeAndAbort(
        upgrade,
        { step: 'awaitConnectionsDrained' },
        {
          before: (step) => {
            const pod = world.pods.find(({ released, terminating }) => released !== undefined && !terminating);
            if (step !== at || struck || pod === undefined) return;
            struck = true;
            restoreLabels(world, pod);
          },
        },
      );
      expect(struck).toBe(true);
      expectNothingLeft(world, 4);
      expect(world.pods.filter(({ of, terminating }) => of === 'web' && !terminating)).toHaveLength(4);
    },
  );
});
