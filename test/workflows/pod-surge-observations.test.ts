/** Which observations a pod surge trusts, and when. */
import { describe, expect, test } from 'vitest';
import { resumeUpdate } from '../../workflows/messages.ts';
import { breakApi, flap, freeze, setBudget } from '../simulator/disturbances.ts';
import { pauseDeployment, resumeDeployment } from '../simulator/replica-sets.ts';
import type { World } from '../simulator/world.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** Strikes when the first pod surge begins, and records the reasons of that step. */
function strikeAtPodSurge(world: World, strike: (world: World) => void) {
  const reasons: string[] = [];
  let struck = false;
  return {
    reasons,
    hooks: {
      before: (step: string) => {
        if (step !== 'surgePods' || struck) return;
        struck = true;
        strike(world);
      },
      progress: (step: string, { reason }: { readonly reason: string }) => {
        if (step === 'surgePods' && reasons.at(-1) !== reason) reasons.push(reason);
      },
    },
  };
}

const surged = 'pods-surged';

describe('a pod surge', () => {
  test.each([
    ['the API server was away', (world: World) => breakApi(world, 15_000)],
    ['readiness probes fail for a moment', (world: World) => flap(world, 'web', 3_000)],
  ] as const)(
    'does not trust its first observation when %s: budgets that never allow block nothing',
    async (_, strike) => {
      const { world, start } = upgradeOf({
        podSurge: { mode: 'required' },
        policy: { traffic: { lossBudget: 1_000_000 } },
      });
      for (const name of ['web', 'api']) setBudget(world, name, 0);
      const { hooks } = strikeAtPodSurge(world, strike);
      const { harness, handle } = await start(hooks);
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expectNothingLeft(world, 4);
      const details = report.nodes.map(({ evidence }) => evidence.find(({ kind }) => kind === surged)?.detail);
      expect(details).toEqual(details.map(() => '2 pods released, replacements serve'));
    },
  );

  test('waits until Services list the replacements, however late their slices are', async () => {
    // Only this wait protects a released pod from the termination of its node.
    const { world, start } = upgradeOf({ podSurge: {}, policy: { disabledRules: ['capacity-guard'] } });
    const { hooks, reasons } = strikeAtPodSurge(world, () => freeze(world, 'slicesFrozen', 40_000));
    const { harness, handle } = await start(hooks);
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(reasons.join('\n')).toMatch(/0 of 4 pods are ready endpoints of default\/(web|api)/);
    expectNothingLost(world);
    expect([...world.fewestServing.values()]).toEqual([4, 4]);
  });

  test('waits until replacements have been ready for minReadySeconds', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    for (const workload of world.workloads) if (workload.name === 'web') workload.minReadySeconds = 45;
    const { hooks, reasons } = strikeAtPodSurge(world, () => undefined);
    const { harness, handle } = await start(hooks);
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(reasons.join('\n')).toContain('0 of 4 pods ready for minReadySeconds');
    expectNothingLost(world);
  });

  test('is repeated for nodes that the guard has blocked for too long, once an operator has fixed the cause and resumed', async () => {
    const { world, start } = upgradeOf({ podSurge: {} });
    setBudget(world, 'web', 0);
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'createPool') pauseDeployment(world, 'web');
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(/capacity to exclude another node.*budget default\/web/);
    resumeDeployment(world, 'web');
    await handle.executeUpdate(resumeUpdate, { args: [{ by: 'ann', reason: 'it is not paused any more' }] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    const details = report.nodes.map(({ evidence }) => evidence.filter(({ kind }) => kind === surged).at(-1)?.detail);
    expect(details).toEqual(details.map(() => '2 pods released, replacements serve'));
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});
