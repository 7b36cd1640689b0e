/** A run that is rolled back to its old pool: that serves at its size again, nothing is lost, and nothing of ours is left. */
import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { type Activities } from '../../activities/activities.ts';
import { expectServedByOldPool, upgradeAndRollBack } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { sceneWith, stepsOfUpgrade } from '../support/steps-of-upgrade.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const oneByOne = { policy: { guard: { maxInFlight: 1 } } };

/** What a run does between its steps. */
const between = ['suspendScaling', 'findLateJoiners'] as const satisfies readonly (keyof Activities)[];

test.each(someOf([...stepsOfUpgrade, ...between], 4))('at %s brings the old pool back', async (step) => {
  const upgrade = upgradeOf(sceneWith(step));
  const report = await upgradeAndRollBack(upgrade, { step });
  expect(report.actions.map(({ action }) => action)).toEqual(['start', 'rollback']);
  expect(report.rollback).toMatchObject({ by: 'ann', reason: 'not today' });
  expect(report.leftovers).toEqual([]);
  expectServedByOldPool(upgrade.world);
});

describe('with old nodes gone', () => {
  test.each(someOf([2, 3, 4], 1))('at eviction %i launches as many as were replaced, in their zones', async (nth) => {
    const upgrade = upgradeOf(oneByOne);
    const { world } = upgrade;
    const report = await upgradeAndRollBack(upgrade, { step: 'evictPods', nth });
    const old = report.nodes.filter(({ node }) => node.name < 'ip-10-0-0-5');
    const replaced = old.filter(({ step }) => step === 'replaced');
    expect(replaced.length).toBeGreaterThanOrEqual(nth - 1);
    expect(report.rollback?.nodes).toHaveLength(replaced.length);
    expectServedByOldPool(world);
    const zones = world.nodes.map(({ zone }) => zone).toSorted();
    expect(zones).toEqual(['eu-west-1a', 'eu-west-1a', 'eu-west-1b', 'eu-west-1b']);
  });

  test('lets new nodes leave only after the old ones serve, and never has fewer targets than in an upgrade', async () => {
    const upgrade = upgradeOf(oneByOne);
    const steps: string[] = [];
    let isBack = false;
    await upgradeAndRollBack(
      upgrade,
      { step: 'evictPods', nth: 3 },
      {
        before: async (step) => {
          isBack ||= step === 'restoreSize';
          if (isBack) steps.push(step);
        },
      },
    );
    const first = (step: string) => steps.indexOf(step);
    expect(first('awaitOldNodes')).toBeGreaterThan(first('restoreSize'));
    expect(first('planScaleIn')).toBeGreaterThan(first('awaitOldNodes'));
    expect(first('terminateNode')).toBeGreaterThan(first('planScaleIn'));
    expect(steps).not.toContain('cordonNodes');
    expect(steps).not.toContain('findLateJoiners');
    for (const [service, serving] of upgrade.world.fewestServing)
      expect(serving, service).toBeGreaterThanOrEqual(service === 'default/web' ? 2 : 3);
  });

  variation('in three zones', async () => {
    const upgrade = upgradeOf({ ...oneByOne, nodes: 6, zones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] });
    await upgradeAndRollBack(upgrade, { step: 'evictPods', nth: 5 });
    expectServedByOldPool(upgrade.world, 6);
    expect(new Set(upgrade.world.nodes.map(({ zone }) => zone)).size).toBe(3);
  });
});

test('a rollback whose steps lose their first response launches no instance twice, and terminates none twice', async () => {
  const upgrade = upgradeOf(oneByOne);
  const forgetful = new Set(['restoreSize', 'awaitOldNodes', 'planScaleIn', 'deletePool']);
  await upgradeAndRollBack(
    upgrade,
    { step: 'evictPods', nth: 3 },
    {
      after: (step) => {
        if (forgetful.delete(step)) throw ApplicationFailure.retryable('the worker died before it could answer');
      },
    },
  );
  expect(forgetful.size).toBe(0);
  expect(upgrade.world.instances.filter(({ pool }) => pool === 'web')).toHaveLength(6);
  expectServedByOldPool(upgrade.world);
});

describe('with pod surge', () => {
  test.each(
    someOf(
      [
        ['surgePods', 1],
        ['excludeNext', 1],
        ['evictPods', 2],
        ['terminateNode', 3],
        ['findLateJoiners', 1],
      ],
      2,
    ),
  )('when %s begins for the %i. time', async (step, nth) => {
    const upgrade = upgradeOf({ podSurge: {} });
    await upgradeAndRollBack(upgrade, { step, nth });
    expectServedByOldPool(upgrade.world);
  });

  test.each(
    someOf(
      [
        ['surgePods', 2],
        ['evictPods', 3],
        ['terminateNode', 3],
      ],
      1,
    ),
  )('in waves, when %s begins for the %i. time', async (step, nth) => {
    const upgrade = upgradeOf({ podSurge: {}, policy: { nodeSurge: { share: 0.5 } } });
    await upgradeAndRollBack(upgrade, { step, nth });
    expectServedByOldPool(upgrade.world);
    expect([...upgrade.world.fewestServing.values()]).toEqual([4, 4]);
  });
});
