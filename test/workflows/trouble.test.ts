import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { PoolRef } from '../../core/model/pool.ts';
import type { Heartbeat } from '../../core/status/heartbeat.ts';
import { abortUpdate, nodeReplacementId, resumeUpdate } from '../../workflows/messages.ts';
import { nodeStatusQuery } from '../../workflows/node-messages.ts';
import { freeze, scaleTo } from '../simulator/disturbances.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import { someOf, variation } from '../support/extent.ts';
import { expectNothingLeft, expectNothingLost, failureOfRun } from '../support/run-checks.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'fixed' };

describe('an endpoint slice controller that stops', () => {
  test.each(someOf(['evictPods', 'removeEndpoints'], 1))(
    'in %s: pods stay until they are observed to be no endpoints, status says so, nothing is lost',
    async (during) => {
      const { world, start } = upgradeOf();
      // Otherwise its endpoints are gone before the step removes them.
      for (const service of world.services)
        if (service.key === 'default/agent') service.internalTrafficPolicy = 'Local';
      const reasons: string[] = [];
      let evicted: number | undefined;
      const { harness, handle } = await start({
        before: (step) => {
          if (step === during && reasons.length === 0) world.faults.slicesFrozen = true;
        },
        progress: (step, { reason }) => {
          if (step !== during || !reason.includes('still an endpoint')) return;
          reasons.push(reason);
          // Far longer than endpoints need to propagate, by the world's clock.
          if (reasons.length < 100) return;
          evicted ??= world.pods.filter((pod) => pod.terminating && pod.endpointsRemoved !== undefined).length;
          world.faults.slicesFrozen = false;
          world.changed();
        },
      });
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expect(evicted).toBe(0);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );
});

describe('an endpoint slice controller that stops while pods leave that continue to serve', () => {
  test('no further pod of the Service is told to stop until the slices have caught up', async () => {
    // Requests to the pods that left first are lost, and must not pause the run.
    const { world, start } = upgradeOf({ preStopSeconds: 30, policy: { traffic: { lossBudget: 1_000_000 } } });
    scaleTo(world, 'web', 8);
    world.clock.advance(5 * 60_000);
    const told: string[] = [];
    const leaving = () => world.log.filter((line) => /pod web-\d+ on .* terminates/.test(line)).length;
    let leftMeanwhile: number | undefined;
    const { harness, handle } = await start({
      before: (step) => {
        if (step !== 'evictPods' || leftMeanwhile !== undefined) return;
        leftMeanwhile = 0;
        // Far longer than a pod continues to serve after it was told to stop.
        freeze(world, 'slicesFrozen', 600_000);
        world.clock.at(world.clock.now() + 599_000, () => {
          leftMeanwhile = leaving();
        });
      },
      progress: (step, { reason }) => {
        if (step === 'evictPods' && reason.includes('the endpoint slices of default/web lag')) told.push(reason);
      },
    });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(leftMeanwhile).toBe(1);
    expect(told).not.toEqual([]);
    expect(leaving()).toBe(8);
    expectNothingLeft(world, 4);
  });
});

describe('an endpoint slice controller that pauses after failures', () => {
  test.each(someOf(['evictPods', 'removeEndpoints'], 1))(
    'in %s: the step waits for it, beyond its own deadline, and does not stall',
    async (during) => {
      const policy = scenarioPolicy();
      const deadlines = { ...policy.waits.deadlines, evictionMs: 180_000, endpointRemovalMs: 180_000 };
      const { world, start } = upgradeOf({ policy: { ...policy, waits: { ...policy.waits, deadlines } } });
      const sixteenMinutes = 16 * 60_000;
      let paused = false;
      const { harness, handle } = await start({
        before: (step) => {
          if (step !== during || paused) return;
          paused = true;
          world.faults.slicesFrozen = true;
          world.clock.at(world.clock.now() + sixteenMinutes, () => {
            world.faults.slicesFrozen = false;
            world.changed();
          });
        },
      });
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('completed');
      expect(report.actions.map(({ action }) => action)).toEqual(['start']);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );
});

describe('a budget that never allows', () => {
  const { waits } = scenarioPolicy();
  const hasty = { policy: { waits: { ...waits, deadlines: { ...waits.deadlines, evictionMs: 180_000 } } } };

  test('keeps its node from being excluded, says that this does not end by itself, and ends when it is fixed', async () => {
    const { world, start } = upgradeOf();
    const { harness, handle } = await start({
      before: (step) => {
        // The budget of the Service with policy Local becomes stricter after the plan was made.
        if (step === 'cordonNodes')
          for (const budget of world.budgets) if (budget.name === 'web') budget.maxUnavailable = 0;
      },
    });
    const { stalled } = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalled?.message).toContain('budget default/web has 4 reachable pods and must keep 4');
    expect(stalled?.hint).toMatch(
      /^Budget default\/web needs 4 healthy of its 4 pods, .*maxUnavailable: 1.* Then resume\.$/,
    );
    for (const budget of world.budgets) if (budget.name === 'web') budget.maxUnavailable = 1;
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await harness.finish(handle)).outcome).toBe('completed');
    expectNothingLost(world);
  });

  test('stalls the node with pod, budget and numbers, forces nothing, and continues when it is fixed', async () => {
    const { world, start } = upgradeOf(hasty);
    const { harness, handle } = await start({
      before: (step) => {
        // The budget becomes stricter after the plan was made.
        if (step === 'evictPods')
          for (const budget of world.budgets) if (budget.name === 'api') budget.maxUnavailable = 0;
      },
    });
    const stalledRun = await harness.until(handle, 'stalled', (status) => {
      return status.stalled !== undefined;
    });
    expect(stalledRun.stalled?.code).toBe('DeadlineExceeded');
    expect(stalledRun.stalled?.message).toMatch(
      /default\/api-\d+: budget default\/api needs all of its 4 pods healthy/,
    );
    const node = stalledRun.nodes.find((one) => one.step === 'stalled');
    expect(node?.problem?.hint).toMatch(/maxUnavailable: 1.* Then resume/);
    expect(world.pods.filter((pod) => pod.node === node?.node.name && pod.of === 'api')).toHaveLength(1);
    const id = nodeReplacementId(stalledRun.cluster, 'web', 'run-1', node?.node.name ?? '');
    const asked = await harness.workflow(id).query(nodeStatusQuery);
    expect(asked.waiting).toMatchObject({ action: 'resume' });

    // Resumed without a fix it waits again, and says what for, since when, until when.
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    await harness.until(
      handle,
      'stalled again',
      (status) => status.stalled !== undefined && status.actions.length === 2,
    );
    harness.hooks.before = async (step) => {
      if (step !== 'evictPods') return;
      for (const budget of world.budgets) if (budget.name === 'api') budget.maxUnavailable = 1;
    };
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  test('says in the heartbeat which pod waits for which budget, since when and until when', async () => {
    const { world, start } = upgradeOf(hasty);
    let blocked: Heartbeat | undefined;
    const { harness, handle } = await start({
      before: (step) => {
        if (step === 'evictPods')
          for (const budget of world.budgets) if (budget.name === 'api') budget.maxUnavailable = 0;
      },
      progress: (step, details) => {
        if (step === 'evictPods' && details.blocked?.[0]?.budget === 'default/api') blocked = details;
      },
    });
    await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    const told = blocked;
    harness.hooks.before = () => undefined;
    for (const budget of world.budgets) budget.maxUnavailable = 1;
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(told?.blocked?.[0]).toMatchObject({ budget: 'default/api', needs: 4, has: 4 });
    expect(told?.blocked?.[0]?.pod).toMatch(/^default\/api-/);
    expect(told?.until).toBe((told?.since ?? 0) + hasty.policy.waits.deadlines.evictionMs);
  });
});

describe('instances that do not start', () => {
  test('a new node that never becomes Ready stalls the run, and an abort deletes the new pool', async () => {
    const { world, start } = upgradeOf();
    world.faults.neverReady = 1;
    const { harness, handle } = await start();
    const stalledRun = await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    expect(stalledRun.phase).toBe('nodes-ready');
    expect(stalledRun.stalled?.message).toContain('3 of 4 new nodes are Ready');
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
    expect(world.pools.map((pool) => pool.name)).toEqual(['web']);
  });

  test('a lack of capacity is reported, and the run waits until it ends', async () => {
    const { world, start } = upgradeOf();
    world.faults.capacity = 6;
    const reasons = new Set<string>();
    const { handle } = await start({
      progress: (step, details) => {
        if (step !== 'awaitNodesReady') return;
        reasons.add(details.reason);
        if (details.reason.includes('capacity')) world.faults.capacity = 100;
      },
    });
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expect([...reasons].join('\n')).toContain('Insufficient capacity');
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });
});

describe('a cloud that throttles', () => {
  test('30 % of all calls is reported, and the run completes', async () => {
    const { world, start } = upgradeOf();
    world.faults.throttled = 0.3;
    const reasons = new Set<string>();
    const { handle } = await start({ progress: (_step, details) => reasons.add(details.reason) });
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expect([...reasons].some((reason) => reason.includes('Throttled'))).toBe(true);
    expectNothingLost(world);
    world.faults.throttled = 0;
    expectNothingLeft(world, 4);
  });
});

describe('a run that must not begin', () => {
  test('fails as PoolNotFound for an unknown pool and changes nothing', async () => {
    const { world, handle } = await upgradeOf({ policy: { pool: { provider: 'eks', name: 'wib' } } }).start();
    expect((await failureOfRun(handle)).type).toBe('PoolNotFound');
    expectNothingLeft(world, 4);
  });

  test('fails as PreflightRefused when the new pool exists already, and changes nothing', async () => {
    const { world, start } = upgradeOf();
    const [old] = world.pools;
    if (old !== undefined) world.pools.push({ ...old, name: 'web-new', desiredSize: 0 });
    const { handle } = await start();
    const failure = await failureOfRun(handle);
    expect(failure.type).toBe('PreflightRefused');
    expectNothingLeft(world, 4);
    expect(world.pools).toHaveLength(2);
  });

  test('fails as LockHeld while somebody else holds the lock and changes nothing', async () => {
    const { world, start } = upgradeOf();
    const { handle } = await start({
      before: (step, [input]) => {
        if (step !== 'acquireLock') return;
        const cluster = (input as { policy: { cluster: { name: string } } }).policy.cluster.name;
        world.leases.set(`nodeferry-${cluster}-web`, {
          holder: 'other',
          token: 1,
          expiresAt: world.clock.now() + 60_000,
        });
      },
    });
    const failure = await failureOfRun(handle);
    expect(failure.type).toBe('LockHeld');
    expect(failure.report.outcome).toBe('failed');
    world.leases.clear();
    expectNothingLeft(world, 4);
  });

  test('fails as PreflightRefused when a Service would lose its only node', async () => {
    const { world, start } = upgradeOf();
    for (const workload of world.workloads) if (workload.name === 'web') workload.replicas = 1;
    world.changed();
    world.clock.advance(120_000);
    world.traffic = { sent: 0, lost: 0, cut: 0 };
    const { handle } = await start();
    const failure = await failureOfRun(handle);
    expect(failure.type).toBe('PreflightRefused');
    expectNothingLeft(world, 4);
  });
});

describe('a worker that restarts', () => {
  test.each(someOf(['awaitNodesReady', 'awaitConnectionsDrained', 'evictPods', 'removeEndpoints', 'terminateNode'], 2))(
    'in the middle of %s changes nothing about the end',
    async (step) => {
      const { world, start } = upgradeOf();
      let restarted: Promise<void> | undefined;
      const { harness, handle } = await start({
        progress: (name) => {
          if (name === step && restarted === undefined) restarted = harness.restart();
        },
      });
      const report = await handle.result();
      await restarted;
      expect(restarted).toBeDefined();
      expect(report.outcome).toBe('completed');
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );
});

describe('an instance that can’t be terminated', () => {
  test('stalls its node; an abort restores that, because the instance still runs', async () => {
    const { world, harness, handle } = await upgradeOf().start({
      before: (step, [input]) => {
        const { isAborted, pool } = input as { isAborted: boolean; pool: PoolRef };
        if (step !== 'terminateNode' || isAborted || pool.name !== 'web') return;
        throw ApplicationFailure.nonRetryable('you are not authorized to perform this operation', 'Forbidden');
      },
    });
    await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('aborted');
    expect(report.nodes.filter((node) => node.step === 'restored').length).toBeGreaterThan(0);
    expect(world.terminations.size).toBe(4);
    expectNothingLost(world);
    expectNothingLeft(world, 4);
  });

  variation(
    'and is excess after an abort is terminated after a resume: it is not the node that the abort restores',
    async () => {
      const { world, start } = upgradeOf();
      let refused = false;
      const { harness, handle } = await start({
        before: async (step, [input]) => {
          if (step === 'awaitConnectionsDrained' && !refused)
            await handle.executeUpdate(abortUpdate, { args: [operator] }).catch(() => undefined);
          const { pool } = input as { pool: PoolRef };
          if (step !== 'terminateNode' || refused || pool.name === 'web') return;
          refused = true;
          throw ApplicationFailure.nonRetryable('you are not authorized to perform this operation', 'Forbidden');
        },
      });
      await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
      await handle.executeUpdate(resumeUpdate, { args: [operator] });
      const report = await harness.finish(handle);
      expect(report.outcome).toBe('aborted');
      expect(world.terminations.size).toBe(4);
      expectNothingLost(world);
      expectNothingLeft(world, 4);
    },
  );
});
