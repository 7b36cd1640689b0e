/** Released pods are adopted, or leave without lost requests, whatever happens to their workload. */
import { describe, expect, test } from 'vitest';
import { abortUpdate } from '../../workflows/messages.ts';
import { rollOut, scaleTo } from '../simulator/disturbances.ts';
import { deletePod } from '../simulator/pods.ts';
import { addFailedPod, deleteDeployment, orphanDeployment, pauseDeployment } from '../simulator/replica-sets.ts';
import { later, type SimPod, type World } from '../simulator/world.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';
import type { StepHooks } from '../support/temporal-harness.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** What the step says once it has begun. */
const someReleased = /^\d+ pods? released/;

const podsOf = (world: World, app: string) =>
  world.pods.filter(({ of, terminating }) => of === app && !terminating).map(({ uid }) => uid);

const readyOf = (world: World, app: string): number => world.pods.filter(({ of, ready }) => of === app && ready).length;

/** Does something to the world as soon as pods are released. */
function atRelease(strike: () => void): StepHooks {
  let struck = false;
  return {
    progress: (step, { reason }) => {
      if (step !== 'surgePods' || struck || !someReleased.test(reason)) return;
      struck = true;
      strike();
    },
  };
}

describe('a run with pod surge', () => {
  test.each(someOf([3_000, 90_000], 1))(
    'loses nothing while a Deployment is away for %d ms and its ReplicaSet stays',
    async (awayMs) => {
      const { world, start } = upgradeOf({ podSurge: {} });
      const { harness, handle } = await start(atRelease(() => orphanDeployment(world, 'web', awayMs)));
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
      expect(podsOf(world, 'web')).toHaveLength(4);
      expect(world.fewestServing.get('default/web')).toBe(4);
    },
  );

  test('keeps the last serving pods when their Deployment is deleted, and says so until their Service is deleted too', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    let struck = false;
    const told = Promise.withResolvers<string>();
    const { harness, handle } = await start({
      progress: (step, { reason }) => {
        if (step === 'surgePods' && !struck && someReleased.test(reason)) {
          struck = true;
          deleteDeployment(world, 'web');
        }
        if (step !== 'excludeNext' || !reason.includes('is gone')) return;
        told.resolve(reason);
        world.services = world.services.filter(({ key }) => key !== 'default/web');
        world.changed();
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(await told.promise).toMatch(
      /default\/web-\d+: Deployment default\/web is gone, and no other pod serves in place of this one; it stays until .*: create the Deployment again, or delete its Services/,
    );
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(podsOf(world, 'web')).toEqual([]);
  });

  variation('evicts released pods of a workload that is scaled to zero at once', async () => {
    const { world, start } = upgradeOf({ podSurge: {}, policy: { traffic: { lossBudget: 1_000_000 } } });
    let scaledAt = 0;
    const strike = () => {
      scaledAt = world.clock.now();
      scaleTo(world, 'web', 0);
    };
    let goneAt = 0;
    world.clock.onPassage((from) => {
      if (scaledAt > 0 && goneAt === 0 && podsOf(world, 'web').length === 0) goneAt = from;
    });
    const { harness, handle } = await start(atRelease(strike));
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLeft(world, 4);
    expect(goneAt - scaledAt, world.log.join('\n')).toBeLessThan(60_000);
  });

  test('gives up on a workload of which only some replacements start, and leaves no labels on those', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    const before = new Set(podsOf(world, 'web'));
    let hopeless: SimPod | undefined;
    let isFixed = false;
    world.clock.onPassage(() => {
      hopeless ??= world.pods.find(({ of, uid, node }) => of === 'web' && node !== undefined && !before.has(uid));
      if (hopeless !== undefined) hopeless.failing = !isFixed;
    });
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'excludeNext') isFixed = true;
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.unprotected).toContainEqual(
      expect.stringMatching(/^Deployment default\/web was evicted within its budget instead of being surged/),
    );
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

variation('an abort ends by itself although a failed pod exists', async () => {
  const upgrade = upgradeOf({ podSurge: {} });
  const { world } = upgrade;
  let struck = false;
  const hooks = {
    before: (step: string) => {
      if (step !== 'awaitDeregistered' || struck) return;
      struck = true;
      addFailedPod(world, 'web', world.nodes[0]?.name ?? '');
    },
  };
  await upgradeAndAbort(upgrade, { step: 'awaitConnectionsDrained' }, hooks);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  expect([readyOf(world, 'web'), readyOf(world, 'api')]).toEqual([4, 4]);
});

variation('an abort ends by itself although a Deployment is paused in the middle of a rollout', async () => {
  const upgrade = upgradeOf({ podSurge: {} });
  const { world } = upgrade;
  let struck = false;
  const hooks = {
    // A rollout by itself loses no requests before load balancers send to the replacements.
    progress: (step: string, { reason }: { readonly reason: string }) => {
      if (step !== 'surgePods' || struck || !someReleased.test(reason)) return;
      struck = true;
      pauseMidway(world);
    },
  };
  await upgradeAndAbort(upgrade, { step: 'awaitConnectionsDrained' }, hooks);
  expectNothingLost(world);
  expectNothingLeft(world, 4);
  expect(readyOf(world, 'web')).toBeGreaterThanOrEqual(4);
});

test('an abort keeps a released pod that no ReplicaSet can adopt and no pod replaces, and says why and how to delete it', async () => {
  let asked: Promise<unknown> | undefined;
  const { world, start } = upgradeOf({ podSurge: {} });
  let struck = false;
  const { handle } = await start({
    before: async (step) => {
      if (step !== 'awaitConnectionsDrained' || struck) return;
      struck = true;
      scaleTo(world, 'web', 3);
      asked = handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'not today' }] });
    },
  });
  const { type, report } = await failureOfRun(handle);
  await asked;
  expect(type).toBe('RollbackIncomplete');
  expect(report.leftovers).toEqual([
    expect.stringMatching(
      /^pod default\/web-\d+: removed labels pod-template-hash; Deployment default\/web has as many serving pods as it wants; it serves on until you delete it, which is like scaling down by one pod: kubectl delete pod -n default web-\d+$/,
    ),
  ]);
  for (const pod of world.pods) if (pod.of === 'web' && pod.released !== undefined) deletePod(world, pod);
  world.changed();
  expectNothingLeft(world, 4);
});

/** A rollout begins, and stops once it has one pod of the new version. */
function pauseMidway(world: World): void {
  rollOut(world, 'web');
  later(world, 10_000, () => pauseDeployment(world, 'web'));
}
