/** Workloads whose pod surge fails: what happens to them, and to the run. */
import { describe, expect, test } from 'vitest';
import { abortUpdate, resumeUpdate, skipUpdate } from '../../workflows/messages.ts';
import { setBudget, workloadNamed } from '../simulator/disturbances.ts';
import { deletePod } from '../simulator/pods.ts';
import type { SimPod, World } from '../simulator/world.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** Admission that no dry run shows denies a request for `web`. */
function deny(world: World, what: 'release' | 'no-owner'): void {
  world.denials.push({ workload: 'web', what, says: 'admission webhook "labels" denied the request', hidden: true });
}

const minutesSince = (world: World, at: number) => (world.clock.now() - at) / 60_000;

/** Pods of `web` for which `isBad` holds never become ready. */
function failWeb(world: World, isBad: (pod: SimPod) => boolean): void {
  world.clock.onPassage(() => {
    for (const pod of world.pods) if (pod.of === 'web' && !pod.terminating) pod.failing = isBad(pod);
  });
}

const isOnNew = (world: World) => {
  const old = new Set(world.nodes.map(({ name }) => name));
  return ({ node }: SimPod) => node !== undefined && !old.has(node);
};

const servingWeb = (world: World) =>
  world.pods.filter(({ of, ready, terminating }) => of === 'web' && ready && !terminating);

describe('a workload whose replacements run on new nodes and never become ready', () => {
  test('is not evicted: the run stalls with all of it serving, and an abort rolls everything back', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    failWeb(world, isOnNew(world));
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(
      /Deployment default\/web: 0 of 4 pods ready; none becomes ready on a new node: web-\d+ on ip-/,
    );
    expect(stalledRun.stalled?.hint).toContain('delete the pods on the old nodes one by one');
    expect(servingWeb(world)).toHaveLength(4);
    await handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'a bad version' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.fewestServing.get('default/web')).toBe(4);
  });

  test('returns to its ReplicaSet on a node that is skipped, at once and without an interruption', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    failWeb(world, isOnNew(world));
    const { harness, handle } = await start();
    const { nodes } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    const name = nodes[0]?.node.name ?? '';
    const released = () => world.pods.filter(({ of, released: from }) => of === 'web' && from !== undefined);
    expect(released().map(({ node }) => node)).toContain(name);
    await handle.executeUpdate(skipUpdate, { args: [{ by: 'ann', reason: 'a bad version', node: name }] });
    await harness.until(handle, 'it is adopted', () => released().every(({ node }) => node !== name));
    await handle.executeUpdate(abortUpdate, { args: [{ by: 'ann', reason: 'a bad version' }] });
    expect((await handle.result()).outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.fewestServing.get('default/web')).toBe(4);
  });

  test('is surged once it is fixed', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    const isNew = isOnNew(world);
    let isFixed = false;
    failWeb(world, (pod) => !isFixed && isNew(pod));
    const { harness, handle } = await start();
    await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    isFixed = true;
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'fixed' }] });
    const report = await harness.finish(handle);
    expect(report).toMatchObject({ outcome: 'completed', unprotected: [] });
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation('or only when others have left, continues as its hint says', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    for (const service of world.services) service.ratePerSecond = 0;
    failWeb(world, (pod) => {
      const own = world.pods.filter((one) => one.of === 'web' && !one.terminating);
      return own.indexOf(pod) >= 4;
    });
    const { harness, handle } = await start();
    await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    const isNew = isOnNew(world);
    for (const pod of servingWeb(world).filter((one) => !isNew(one) && one.released !== undefined))
      deletePod(world, pod);
    world.changed();
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'deleted' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectNothingLeft(world, 4);
  });
});

describe('a workload whose pod surge fails', () => {
  test.each<readonly [string, RegExp, (world: World) => void]>(
    someOf(
      [
        [
          'because of a quota',
          /no more pods can be created: .*exceeded quota/,
          (world) => Object.assign(workloadNamed(world, 'web'), { quota: 4 }),
        ],
        ['because admission denies the release', /denied the request/, (world) => deny(world, 'release')],
        [
          'because admission forbids pods without an owner',
          /web-1 has not released web-\d+/,
          (world) => deny(world, 'no-owner'),
        ],
      ],
      1,
    ),
  )('%s is evicted within its budget, once and for all nodes, and the others are surged', async (_, why, strike) => {
    const { world, start } = upgradeOf({ podSurge: { max: 0.5 } });
    setBudget(world, 'web', 1);
    strike(world);
    const startedAt = world.clock.now();
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    const told = report.unprotected.filter((what) => /^Deployment default\/web .* instead of being surged/.test(what));
    expect(told).toEqual([expect.stringMatching(why)]);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(minutesSince(world, startedAt)).toBeLessThan(20);
    expect(report.nodes.flatMap(({ evidence }) => evidence.filter(({ kind }) => kind === 'pods-surged'))).toHaveLength(
      4,
    );
  });
});
