import { describe, expect, test } from 'vitest';
import { abortUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { addPod, finishIn } from '../simulator/pods.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import type { SimPod, World } from '../simulator/world.ts';
import { variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'fixed' };
const safeToEvict = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const policyWith = (drain: Partial<ReturnType<typeof scenarioPolicy>['drain']>) =>
  scenarioPolicy({ drain: { ...scenarioPolicy().drain, ...drain } });

/** A pod on the first node of the old pool. */
function addToOld(world: World, name: string, changes: Partial<SimPod> = {}): SimPod {
  return addPod(world, name, world.nodes[0]?.name ?? '', changes);
}

/** Calls `act` once, when the first pods are about to leave the node of this pod. */
function beforeEvicting(pod: () => SimPod | undefined, act: (pod: SimPod) => void) {
  let done = false;
  return (step: string, args: readonly unknown[]): void => {
    const [input] = args as readonly [{ readonly node?: { readonly name: string } } | undefined];
    const found = pod();
    if (done || step !== 'evictPods' || found === undefined || input?.node?.name !== found.node) return;
    done = true;
    act(found);
  };
}

describe('a pod that is not safe to evict', () => {
  test('refuses the run before it begins, unless the policy says otherwise', async () => {
    const { world, start } = upgradeOf({ nodes: 2 });
    addToOld(world, 'game', { safeToEvict: 'false' });
    const { harness, handle } = await start();
    const failure = await failureOfRun(handle);
    expect(failure.type).toBe('PreflightRefused');
    expect(failure.report.stalled?.message).toContain(`WKL-025 pod default/game: ${safeToEvict}: "false"`);
    expect(world.log).toEqual([]);

    const report = await harness.finish(await harness.start(policyWith({ doNotDisrupt: 'evict' })));
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 2);
  });

  test('that appeared since the plan was made stalls its node, is not evicted, and is named', async () => {
    const { world, start } = upgradeOf({ nodes: 2 });
    const game = addToOld(world, 'game');
    const { harness, handle } = await start({
      before: beforeEvicting(
        () => game,
        (pod) => void (pod.safeToEvict = 'false'),
      ),
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toContain(`default/game: ${safeToEvict}: "false" asks to leave it alone`);
    expect(game.terminating).toBe(false);

    delete (game as { safeToEvict?: unknown }).safeToEvict;
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 2);
  });
});

describe('a pod that is stuck terminating', () => {
  test('stalls its node at the deadline, is named with what to do, and is not forced', async () => {
    const { world, start } = upgradeOf({ nodes: 2 });
    const stuck = addToOld(world, 'stuck', { stuck: true });
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(/default\/stuck: it should have ended at .* its containers still run/);
    expect(world.clock.now()).toBeGreaterThanOrEqual((stuck.killedAt ?? Infinity) + 60_000);
    expect(world.pods).toContain(stuck);
    expect([...world.terminations.keys()]).not.toContain('i-1');

    stuck.stuck = false;
    world.changed();
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 2);
  });

  variation('does not keep an aborted run from restoring its node', async () => {
    const { world, start } = upgradeOf({ nodes: 2 });
    const api = world.pods.find((pod) => pod.of === 'api' && pod.node === world.nodes[0]?.name);
    if (api === undefined) throw new Error('no pod of api');
    api.stuck = true;
    const { harness, handle } = await start();
    await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(api).toMatchObject({ terminating: true, endpointsRemoved: {} });
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('aborted');
    expect(report.nodes.find(({ node }) => node.name === api.node)?.step).toBe('restored');
    expectNothingLost(world);
  });

  test('does not block its node when finalizers keep only its object, and the report says so', async () => {
    const { world, start } = upgradeOf({ nodes: 2 });
    const kept = addToOld(world, 'kept', { finalizers: ['example.com/keep'] });
    const { harness, handle } = await start();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    const evicted = report.nodes
      .find(({ node }) => node.name === kept.node)
      ?.evidence.find(({ kind }) => kind === 'evicted');
    expect(evicted?.detail).toContain('default/kept: its containers have stopped, and finalizers keep its object');
    expect(evicted?.at).toBeGreaterThanOrEqual((kept.killedAt ?? 0) + 60_000);
    expectNothingLost(world);
    expectNothingLeft(world, 2);
  });
});

describe('a pod of a Job', () => {
  const { waits, drain } = scenarioPolicy();
  const deadlines = { ...waits.deadlines, evictionMs: 60_000, jobCompletionMs: 10 * 60_000 };
  const patient = scenarioPolicy({ drain: { ...drain, jobs: 'wait' }, waits: { ...waits, deadlines } });

  test('may run to completion, past the deadline of evictions, and no operator is needed', async () => {
    const { world, start } = upgradeOf({ nodes: 2, policy: patient });
    const job = addToOld(world, 'sum', { ownerKind: 'Job' });
    const { harness, handle } = await start({
      before: beforeEvicting(
        () => job,
        (pod) => finishIn(world, pod, 9 * 60_000),
      ),
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(world.log.join('\n')).toMatch(/sum has run to its end[^]*sum on \S+ terminates/);
    expectNothingLost(world);
    expectNothingLeft(world, 2);
  });

  variation('that does not end stalls its node at its deadline and is not told to stop', async () => {
    const { world, start } = upgradeOf({ nodes: 2, policy: patient });
    const job = addToOld(world, 'sum', { ownerKind: 'Job' });
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toMatch(/timed out after 10\S* min: .*default\/sum: it belongs to a Job/);
    expect(job.terminating).toBe(false);
    finishIn(world, job, 1_000);
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
  });
});

test('DaemonSet pods do not block their node, with their own volume or failing again at once', async () => {
  const { world, start } = upgradeOf({ nodes: 2 });
  for (const pod of world.pods) if (pod.of === 'agent') pod.volumeClaims = [`cache-${pod.name}`];
  addToOld(world, 'database', { volumeClaims: ['data'] });
  const sensor: Partial<SimPod> = { ownerKind: 'DaemonSet', phase: 'Failed', accepts: false, started: false };
  const failing = addToOld(world, 'sensor', sensor);
  const { harness, handle } = await start();
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expect(failing.terminating).toBe(false);
  expectNothingLost(world);
  expectNothingLeft(world, 2);
});

describe('a node with a do-not-disrupt annotation', () => {
  test('stays while the other is replaced, and stalls the run at last', async () => {
    const { world, start } = upgradeOf({ nodes: 2 });
    const [first] = world.nodes;
    if (first === undefined) throw new Error('no node');
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'createPool') first.annotations['karpenter.sh/do-not-disrupt'] = 'true';
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.stalled?.message).toContain(`${first.name} waits: its annotation karpenter.sh/do-not-disrupt`);
    expect(stalledRun.nodes.filter(({ step }) => step === 'replaced')).toHaveLength(1);
    delete first.annotations['karpenter.sh/do-not-disrupt'];
    harness.hooks.before = () => undefined;
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 2);
  });
});
