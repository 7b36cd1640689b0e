/** Workloads that have fewer pods than they want, permanently: the run does not wait for pods that did not exist before. */
import { describe, expect, test } from 'vitest';
import { resumeUpdate } from '../../workflows/messages.ts';
import { rollOut, scaleTo, workloadNamed } from '../simulator/disturbances.ts';
import type { SimWorkload, World } from '../simulator/world.ts';
import { upgradeAndRollBack } from '../support/abort-run.ts';
import { someOf } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { type Upgrade, type UpgradeScene, upgradeOf } from '../support/upgrade-of.ts';

const minutes = (ms: number) => ms / 60_000;

/** Six nodes with a pod of `web` each, which wants seven. */
function shortUpgrade(
  short: (web: SimWorkload, world: World) => void,
  scene: UpgradeScene = { podSurge: {} },
): Upgrade {
  const upgrade = upgradeOf({ nodes: 6, ...scene });
  const { world } = upgrade;
  short(workloadNamed(world, 'web'), world);
  scaleTo(world, 'web', 7);
  world.clock.advance(60_000);
  return upgrade;
}

/** One of its pods always crashes as soon as it starts; its replacement does too. */
function crashOne(world: World): void {
  world.clock.onPassage(() => {
    const owned = world.pods.filter((pod) => pod.of === 'web' && pod.ownerKind !== 'none' && !pod.terminating);
    const next = owned.find(({ started }) => !started);
    if (next !== undefined && !owned.some(({ failing }) => failing)) next.failing = true;
  });
}

const shortages: readonly (readonly [string, (web: SimWorkload, world: World) => void, number])[] = [
  [
    'can’t be scheduled',
    (web) => {
      web.fillsNode = true;
    },
    12,
  ],
  ['crashes again and again', (_, world) => crashOne(world), 12],
  [
    'is refused by a quota',
    (web) => {
      web.quota = 6;
    },
    12,
  ],
];

/** Its ReplicaSet has been refused for hours: by then it retries every 17 minutes, unless one of its pods changes. */
function refusedForHours(quota: number): Upgrade {
  const upgrade = shortUpgrade((web) => {
    web.quota = quota;
  });
  upgrade.world.clock.advance(2 * 60 * 60_000);
  return upgrade;
}

describe('a replica that', () => {
  test('a quota has refused for hours blocks nothing either', async () => {
    const { world, start } = refusedForHours(6);
    const startedAt = world.clock.now();
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 6);
    expect(minutes(world.clock.now() - startedAt), world.log.join('\n')).toBeLessThan(30);
  });

  test('a budget waits for, and a quota has refused for hours, blocks no other pod', async () => {
    const { world, start } = upgradeOf({ nodes: 3, podSurge: {} });
    scaleTo(world, 'api', 6);
    world.clock.advance(60_000);
    workloadNamed(world, 'api').quota = 6;
    for (const budget of world.budgets) if (budget.name === 'api') Object.assign(budget, { minAvailable: 5 });
    scaleTo(world, 'api', 7);
    world.clock.advance(2 * 60 * 60_000);
    const startedAt = world.clock.now();
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 3);
    expect(minutes(world.clock.now() - startedAt), world.log.join('\n')).toBeLessThan(30);
  });

  test.each(someOf(shortages, 2))('%s blocks nothing', async (_, short, withinMinutes) => {
    const { world, start } = shortUpgrade(short);
    const startedAt = world.clock.now();
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 6);
    expect(minutes(world.clock.now() - startedAt), world.log.join('\n')).toBeLessThan(withinMinutes);
  });
});

describe('a replica of Services without budgets that crashes again and again', () => {
  const unbudgeted = (scene: UpgradeScene): Upgrade => {
    const upgrade = shortUpgrade((_, world) => {
      world.budgets.length = 0;
      crashOne(world);
    }, scene);
    upgrade.world.clock.advance(10 * 60_000);
    return upgrade;
  };
  const crashing = ({ pods }: World) => pods.filter(({ of, failing }) => of === 'web' && failing).length;

  test.each(someOf([['evicts', {}] as const, ['surges', { podSurge: {} }] as const], 1))(
    'blocks no other where a run %s pods',
    async (_, scene) => {
      const { world, start } = unbudgeted(scene);
      expect(crashing(world)).toBe(1);
      const { harness, handle } = await start();
      expect(await harness.finish(handle)).toMatchObject({ outcome: 'completed' });
      expectNothingLost(world);
      expectNothingLeft(world, 6);
      expect(crashing(world)).toBe(1);
    },
  );

  test('keeps no node from going back', async () => {
    const upgrade = unbudgeted({});
    await upgradeAndRollBack(upgrade, { step: 'terminateNode', nth: 3 });
    expectNothingLost(upgrade.world);
    expectNothingLeft(upgrade.world, 6);
  });
});

describe('a run that is stalled because nodes are blocked names the quota', () => {
  test.each(
    someOf(
      [
        ['a rollout', (world: World) => rollOut(world, 'web')],
        ['a budget that counts replicas which are not there', (world: World) => scaleTo(world, 'web', 12)],
      ],
      1,
    ),
  )('that blocks %s, and continues once it has room', async (_, meet) => {
    // Under policy Local a rollout loses requests by itself where a pod was the only one on its node.
    const { world, start } = upgradeOf({ policy: { traffic: { lossBudget: 1_000_000 } } });
    const web = workloadNamed(world, 'web');
    let met = false;
    const { harness, handle } = await start({
      before: async (step) => {
        if (met || step !== 'excludeNext') return;
        met = true;
        web.quota = web.replicas;
        meet(world);
      },
    });
    const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toMatch(/no more pods of Deployment default\/web can be created: .*exceeded quota: web/);
    expect(stalled?.hint).toMatch(/raise the quota in the message/);
    delete web.quota;
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'the quota was raised' }] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
  });
});
