/** What a hand-over believes, and when. */
import { describe, expect, test } from 'vitest';
import { resumeUpdate } from '../../workflows/messages.ts';
import { breakApi, flap, freeze, setBudget } from '../simulator/disturbances.ts';
import { pauseDeployment, resumeDeployment } from '../simulator/replica-sets.ts';
import { createScenario, podSurgePolicy } from '../simulator/scenario.ts';
import type { World } from '../simulator/world.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';

/** Strikes when the first hand-over begins, and notes what that step says. */
function strikeAtHandOver(world: World, strike: (world: World) => void) {
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

describe('a hand-over', () => {
  test.each([
    ['the API server was away', (world: World) => breakApi(world, 15_000)],
    ['readiness probes fail for a moment', (world: World) => flap(world, 'web', 3_000)],
  ] as const)('does not go by its first look when %s: budgets that never allow hold nobody', async (_, strike) => {
    const world = createScenario();
    for (const name of ['web', 'api']) setBudget(world, name, 0);
    const { hooks } = strikeAtHandOver(world, strike);
    const harness = await openHarness(world, hooks);
    const policy = podSurgePolicy({ mode: 'required' });
    const traffic = { ...policy.traffic, lossBudget: 1_000_000 };
    const report = await harness.finish(await harness.start({ ...policy, traffic }));
    expect(report.outcome).toBe('completed');
    expectNothingLeft(world, 4);
    const details = report.nodes.map(({ evidence }) => evidence.find(({ kind }) => kind === surged)?.detail);
    expect(details).toEqual(details.map(() => '2 pods released, replacements serve'));
  });

  test('waits until Services have the replacements, however late their slices are', async () => {
    const world = createScenario();
    const { hooks, reasons } = strikeAtHandOver(world, () => freeze(world, 'slicesFrozen', 40_000));
    const harness = await openHarness(world, hooks);
    // Nothing but the wait itself stands between a released pod and the end of its node.
    const policy = { ...podSurgePolicy(), disabledRules: ['capacity-guard'] as const };
    const report = await harness.finish(await harness.start(policy));
    expect(report.outcome).toBe('completed');
    expect(reasons.join('\n')).toMatch(/0 of 4 pods are ready endpoints of default\/(web|api)/);
    expectNothingLost(world);
    expect([...world.fewestServing.values()]).toEqual([4, 4]);
  });

  test('waits until replacements have been ready for minReadySeconds', async () => {
    const world = createScenario();
    for (const workload of world.workloads) if (workload.name === 'web') workload.minReadySeconds = 45;
    const { hooks, reasons } = strikeAtHandOver(world, () => undefined);
    const harness = await openHarness(world, hooks);
    const report = await harness.finish(await harness.start(podSurgePolicy()));
    expect(report.outcome).toBe('completed');
    expect(reasons.join('\n')).toContain('0 of 4 pods ready for minReadySeconds');
    expectNothingLost(world);
  });

  test('is done anew for nodes that the guard has held for too long, once somebody has mended what forbade it and resumes', async () => {
    const world = createScenario();
    setBudget(world, 'web', 0);
    const harness = await openHarness(world, {
      before: (step) => {
        if (step === 'createPool') pauseDeployment(world, 'web');
      },
    });
    const handle = await harness.start(podSurgePolicy());
    const parked = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(parked.stalled?.message).toMatch(/capacity to exclude another node.*budget default\/web/);
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
