/** Pods are replaced before they leave, so that all nodes can be replaced at the same time. */
import { describe, expect, test } from 'vitest';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { ownershipOf } from '../simulator/cluster-port.ts';
import { freeze, rollOut, scaleTo, setBudget } from '../simulator/disturbances.ts';
import { deleteDeployment } from '../simulator/replica-sets.ts';
import type { World } from '../simulator/world.ts';
import { upgradeAndAbort } from '../support/abort-run.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** The reason of the step once it has released pods. */
const someReleased = /^\d+ pods? released/;

const podsOf = (world: World, app: string) =>
  world.pods.filter(({ of, terminating }) => of === app && !terminating).map(({ uid }) => uid);

function deleteWeb(world: World): void {
  deleteDeployment(world, 'web');
  world.services = world.services.filter(({ key }) => key !== 'default/web');
  world.changed();
}

describe('a run with pod surge', () => {
  test('replaces all nodes at the same time; no Service ever has less than before, and nothing is lost', async () => {
    const { world, harness, handle } = await upgradeOf({ podSurge: {} }).start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect([...world.fewestServing]).toEqual([
      ['default/web', 4],
      ['default/api', 4],
    ]);
    const excluded = world.log.filter((line) => line.endsWith('excluded'));
    const evicted = world.log.findIndex((line) => line.includes(' removed from endpoints'));
    expect(excluded).toHaveLength(4);
    expect(world.log.slice(0, evicted).filter((line) => line.endsWith('excluded'))).toHaveLength(4);
    for (const { evidence } of report.nodes) {
      expect(evidence.slice(0, 2).map(({ kind }) => kind)).toEqual(['pods-surged', 'registered']);
      expect(evidence[0]?.detail).toBe('2 pods released, replacements serve');
    }
  });

  test.each(
    someOf(
      [
        [['wait-for-replacements', 'capacity-guard'], true],
        [['wait-for-replacements'], false],
        [['capacity-guard'], false],
      ],
      1,
    ),
  )('without %j loses requests: %s', async (disabledRules, loses) => {
    const { world, harness, handle } = await upgradeOf({
      delays: { podReady: 60_000 },
      podSurge: {},
      policy: { traffic: { lossBudget: 1_000_000 }, disabledRules },
    }).start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(world.traffic.lost + world.traffic.cut > 0, world.log.join('\n')).toBe(loses);
  });

  test('starts pods on new nodes while these are being registered, and excludes no node before that is done', async () => {
    const order: string[] = [];
    const told = ['awaitNodesReady', 'cordonNodes', 'surgePods', 'excludeNext'];
    const { harness, handle } = await upgradeOf({ podSurge: {} }).start({
      before: (step) => {
        if (told.includes(step)) order.push(step);
      },
    });
    await harness.finish(handle);
    expect(order.slice(0, 5)).toEqual([
      'awaitNodesReady',
      'cordonNodes',
      'surgePods',
      'awaitNodesReady',
      'excludeNext',
    ]);
  });

  variation('waits for replacements that ReplicaSets have not created yet', async () => {
    // Only this wait protects a released pod from the termination of its node.
    const { world, start } = upgradeOf({ podSurge: {}, policy: { disabledRules: ['capacity-guard'] } });
    const reasons: string[] = [];
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'surgePods' && !world.log.some((line) => line.startsWith('replicaSetsFrozen')))
          freeze(world, 'replicaSetsFrozen', 20_000);
      },
      progress: (step, { reason }) => {
        if (step === 'surgePods' && reasons.at(-1) !== reason) reasons.push(reason);
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(reasons.join('\n')).toContain('default/api: 0 of 4 pods ready');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('is not blocked by budgets that never allow', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    for (const name of ['web', 'api']) setBudget(world, name, 0);
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation(
    'replaces all nodes at the same time without budgets too: shares count the usual size of a Service, not the doubled one',
    async () => {
      const { world, start } = upgradeOf({ podSurge: {}, policy: { guard: { defaultMinServing: 1 } } });
      world.budgets = [];
      const { harness, handle } = await start();
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expectNothingLost(world);
      const evicted = world.log.findIndex((line) => line.includes(' removed from endpoints'));
      expect(world.log.slice(0, evicted).filter((line) => line.endsWith('excluded'))).toHaveLength(4);
    },
  );

  variation('replaces a Service with one endpoint per zone, cross-zone off', async () => {
    const { world, start } = upgradeOf({ nodes: 2, podSurge: {} });
    for (const service of world.services) service.crossZone = false;
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 2);
    expect(world.fewestServing.get('default/web')).toBe(2);
  });

  test('surges pods in batches where workloads allow fewer additional pods', async () => {
    const { world, harness, handle } = await upgradeOf({ podSurge: { max: 0.5 } }).start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.fewestServing.get('default/web')).toBe(4);
  });

  test.each(
    someOf(
      [
        ['rolls out', (world: World) => rollOut(world, 'web'), 4],
        ['is scaled down', (world: World) => scaleTo(world, 'web', 2), 2],
        ['is scaled up', (world: World) => scaleTo(world, 'web', 6), 6],
        ['is deleted with its Service', deleteWeb, 0],
      ],
      2,
    ),
  )('ends well when a workload %s in the middle', async (_, strike, left) => {
    const { world, start } = upgradeOf({ podSurge: {}, policy: { traffic: { lossBudget: 1_000_000 } } });
    let struck = false;
    const { harness, handle } = await start({
      progress: (step, { reason }) => {
        if (step !== 'surgePods' || struck || !someReleased.test(reason)) return;
        struck = true;
        strike(world);
      },
    });
    const report = await harness.finish(handle);
    expect(struck).toBe(true);
    expect(report.outcome).toBe('completed');
    expectNothingLeft(world, 4);
    expect(podsOf(world, 'web')).toHaveLength(left);
    if (left >= 4) expectNothingLost(world);
  });

  test('evicts a workload within its budget whose replacements can’t be scheduled in time, and says so', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    const old = new Set(world.nodes.map(({ name }) => name));
    let hasRoom = false;
    for (const workload of world.workloads)
      if (workload.name !== 'web')
        workload.tolerations = [...workload.tolerations, { key: 'full', operator: 'Exists' }];
    world.clock.onPassage(() => {
      for (const node of world.nodes)
        if (!old.has(node.name)) node.taints = hasRoom ? [] : [{ key: 'full', effect: 'NoSchedule' }];
    });
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'excludeNext') hasRoom = true;
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.unprotected).toContainEqual(
      expect.stringMatching(
        /^Deployment default\/web was evicted within its budget instead of being surged: 0 of 4 pods ready; pod .* cannot be scheduled/,
      ),
    );
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('stalls where the policy requires pod surge, and continues once replacements start', async () => {
    const { world, start } = upgradeOf({ podSurge: { mode: 'required' } });
    const before = new Set(podsOf(world, 'web'));
    let isFixed = false;
    world.clock.onPassage(() => {
      for (const pod of world.pods) if (pod.of === 'web' && !before.has(pod.uid)) pod.failing = !isFixed;
    });
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(
      /^replacements of released pods: timed out after .* Deployment default\/web: 0 of 4 pods ready/,
    );
    expect(world.log.filter((line) => line.endsWith('excluded'))).toEqual([]);
    isFixed = true;
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'fixed' }] });
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test.each(
    someOf(
      ['awaitDeregistered', 'awaitConnectionsDrained', 'evictPods', 'removeEndpoints', 'terminateNode'].flatMap(
        (at) => [[at, 4_000] as const, [at, 100] as const],
      ),
      2,
    ),
  )('aborted at %s, leaves nothing and loses nothing, pods being ready within %d ms', async (step, podReady) => {
    const upgrade = upgradeOf({ delays: { podReady }, podSurge: {} });
    const { world } = upgrade;
    await upgradeAndAbort(upgrade, { step });
    expectNothingLost(world);
    expect(ownershipOf(world)).toEqual([]);
    expect([podsOf(world, 'web').length, podsOf(world, 'api').length]).toEqual([4, 4]);
    expect([...world.fewestServing.values()]).toEqual([4, 4]);
  });

  variation(
    'leaves each ReplicaSet with as many pods as it wants after an abort, however late it observes them',
    async () => {
      const upgrade = upgradeOf({ podSurge: {} });
      const { world } = upgrade;
      await upgradeAndAbort(
        upgrade,
        { step: 'awaitConnectionsDrained' },
        {
          before: (step) => {
            if (step === 'evictPods') freeze(world, 'replicaSetsFrozen', 20_000);
          },
        },
      );
      expectNothingLost(world);
      expectNothingLeft(world, 4);
      expect([podsOf(world, 'web').length, podsOf(world, 'api').length]).toEqual([4, 4]);
    },
  );

  test('leaves no pod of the old version when aborted after a rollout', async () => {
    const upgrade = upgradeOf({ podSurge: {} });
    const { world } = upgrade;
    await upgradeAndAbort(
      upgrade,
      { step: 'awaitConnectionsDrained' },
      {
        // A rollout by itself loses no requests before load balancers send to the replacements.
        progress: (step, { reason }) => {
          const [web] = world.workloads;
          if (step === 'surgePods' && someReleased.test(reason) && web?.version === 1) rollOut(world, web.name);
        },
      },
    );
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.pods.filter(({ of }) => of === 'web').map(({ version }) => version)).toEqual([2, 2, 2, 2]);
    expect(podsOf(world, 'api')).toHaveLength(4);
  });

  variation(
    'removes pods of new nodes from their Services when aborted, even if their ReplicaSets do not know them',
    async () => {
      const upgrade = upgradeOf({ podSurge: {} });
      const { world } = upgrade;
      for (const workload of world.workloads)
        if (workload.kind === 'Deployment') workload.labels = { ...workload.labels, serves: 'yes' };
      for (const pod of world.pods) if (pod.ownerKind === 'ReplicaSet') pod.labels = { ...pod.labels, serves: 'yes' };
      for (const service of world.services)
        if (service.key !== 'default/agent') service.selector = { ...service.selector, serves: 'yes' };
      world.changed();
      await upgradeAndAbort(upgrade, { step: 'awaitConnectionsDrained' });
      expectNothingLost(world);
      expect(ownershipOf(world)).toEqual([]);
      expect([podsOf(world, 'web').length, podsOf(world, 'api').length]).toEqual([4, 4]);
    },
  );

  variation('keeps exactly the earlier pods when aborted while replacements start', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    const before = [podsOf(world, 'web'), podsOf(world, 'api')];
    let asked: Promise<unknown> | undefined;
    const { harness, handle } = await start({
      progress: (step, { reason }) => {
        if (step === 'surgePods' && someReleased.test(reason))
          asked ??= handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'not today' }] });
      },
    });
    const report = await harness.finish(handle);
    await asked;
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect([podsOf(world, 'web'), podsOf(world, 'api')]).toEqual(before);
  });
});
