/** Runs in stages: canary nodes go ahead, zones follow one another, and somebody approves where the policy says so. */
import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { type ApprovedPlan, approvedPart } from '../../core/plan/approved-plan.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import { createTrials } from '../../operations/ask-before-pod-surge.ts';
import { observeAndPlan } from '../../operations/observe-and-plan.ts';
import { createObserver } from '../../operations/observer.ts';
import { abortUpdate, approveUpdate, rejectUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { fillPool } from '../simulator/pools.ts';
import { createSimPorts } from '../simulator/ports.ts';
import type { World } from '../simulator/world.ts';
import { variation } from '../support/extent.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'all is well' };
const minuteMs = 60_000;

const waitsForApproval = ({ approval }: RunStatus) => approval !== undefined;

function replacedIn({ nodes }: RunStatus): readonly string[] {
  return nodes.filter(({ step }) => step === 'replaced').map(({ node }) => node.zone);
}

/** When each node was excluded, and when its instance was gone, in the order of exclusion; epoch ms. */
function timesOf({ nodes }: RunReport) {
  const at = (evidence: RunReport['nodes'][number]['evidence'], kind: string) =>
    evidence.findLast((one) => one.kind === kind)?.at ?? Number.NaN;
  return nodes
    .map(({ node, evidence }) => ({ zone: node.zone, out: at(evidence, 'excluded'), gone: at(evidence, 'terminated') }))
    .toSorted((a, b) => a.out - b.out);
}

function expectUnharmed(world: World): void {
  expect(world.violations).toEqual([]);
  expect(world.traffic).toMatchObject({ lost: 0, cut: 0 });
}

describe('a run that needs approval', () => {
  test('changes nothing before its start is approved, once, and records who has approved what', async () => {
    const { world, harness, handle } = await upgradeOf({
      policy: { rollout: { approvals: { at: ['start'], timeoutMs: undefined, onTimeout: 'stall' } } },
    }).start();
    const waits = await harness.until(handle, 'it waits for approval', waitsForApproval);
    expect(waits.waiting).toMatchObject({ for: 'approval of start', action: expect.stringContaining('approve') });
    expect(world.leases.size).toBe(0);
    await expect(handle.executeUpdate(approveUpdate, { args: [{ ...operator, of: 'canary' }] })).rejects.toThrow();
    await handle.executeUpdate(approveUpdate, { args: [{ ...operator, of: 'start' }] });
    await expect(handle.executeUpdate(approveUpdate, { args: [operator] })).rejects.toThrow();
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.actions).toContainEqual(expect.objectContaining({ action: 'approve', of: 'start', ...operator }));
    expectUnharmed(world);
  });

  test('replaces the canary node, lets it soak, and waits with everything serving until somebody rejects', async () => {
    const approvals = { at: ['canary'], timeoutMs: undefined, onTimeout: 'stall' } as const;
    const { world, harness, handle } = await upgradeOf({
      policy: { rollout: { canary: { nodes: 1, soakMs: 10 * minuteMs }, approvals } },
    }).start();
    const waits = await harness.until(handle, 'it waits for approval', waitsForApproval);
    expect(replacedIn(waits)).toHaveLength(1);
    const gone = timesOf(waits as RunReport).find((one) => !Number.isNaN(one.gone));
    expect((waits.approval?.since ?? 0) - (gone?.gone ?? 0)).toBeGreaterThanOrEqual(10 * minuteMs);
    await expect(handle.executeUpdate(rejectUpdate, { args: [{ by: 'ann', reason: '' }] })).rejects.toThrow();
    await handle.executeUpdate(rejectUpdate, { args: [{ by: 'ann', reason: 'it restarts' }] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expect(report.actions).toContainEqual(expect.objectContaining({ action: 'reject', of: 'canary' }));
    expect(report.leftovers).toEqual([]);
    expectUnharmed(world);
  });

  test('is aborted when nobody approves in time, if the policy says so', async () => {
    const approvals = { at: ['start'], timeoutMs: 30 * minuteMs, onTimeout: 'abort' } as const;
    const { handle } = await upgradeOf({ policy: { rollout: { approvals } } }).start();
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    const reason = 'nobody has approved start within 30m';
    expect(report.actions).toContainEqual(expect.objectContaining({ action: 'abort', by: 'nodeferry', reason }));
  });

  test('is stalled when nobody approves in time, and continues when somebody does', async () => {
    const approvals = { at: ['start'], timeoutMs: 30 * minuteMs, onTimeout: 'stall' } as const;
    const { harness, handle } = await upgradeOf({ policy: { rollout: { approvals } } }).start();
    const stalled = await harness.until(handle, 'it is stalled', (status) => status.stalled !== undefined);
    expect(stalled.stalled?.code).toBe('ApprovalMissing');
    await expect(handle.executeUpdate(resumeUpdate, { args: [operator] })).rejects.toMatchObject({
      cause: { message: 'refused: approve or reject what it waits for' },
    });
    await handle.executeUpdate(approveUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.stalled).toBeUndefined();
  });

  test('and has lost its lock meanwhile says so once it is approved, and is resumed for that', async () => {
    const approvals = { at: ['canary'], timeoutMs: 30 * minuteMs, onTimeout: 'stall' } as const;
    const rollout = { canary: { nodes: 1, soakMs: minuteMs }, approvals };
    const { world, harness, handle } = await upgradeOf({ policy: { rollout } }).start();
    await harness.until(handle, 'it waits for approval', waitsForApproval);
    world.leases.clear();
    await harness.until(handle, 'nobody approves', ({ stalled }) => stalled?.code === 'ApprovalMissing');
    await handle.executeUpdate(approveUpdate, { args: [operator] });
    const left = await harness.until(handle, 'the lock is missed', ({ approval }) => approval === undefined);
    expect(left.stalled?.code).toBe('LockLost');
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expectUnharmed(world);
  });

  variation('is stalled by a wait that fails, which is no time-out, and waits again when it is resumed', async () => {
    const approvals = { at: ['start'], timeoutMs: 30 * minuteMs, onTimeout: 'abort' } as const;
    let waits = 0;
    const { harness, handle } = await upgradeOf({ policy: { rollout: { approvals } } }).start({
      before: (step) => {
        if (step === 'sleepFor' && (waits += 1) === 1) throw ApplicationFailure.nonRetryable('no timer');
      },
    });
    const stalled = await harness.until(handle, 'it is stalled', (status) => status.stalled !== undefined);
    expect(stalled).toMatchObject({ approval: { of: 'start' }, stalled: { code: 'Internal', message: 'no timer' } });
    await handle.executeUpdate(resumeUpdate, { args: [operator] });
    await handle.executeUpdate(approveUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
  });

  test('can be aborted while it waits', async () => {
    const approvals = { at: ['start'], timeoutMs: 30 * minuteMs, onTimeout: 'stall' } as const;
    const { harness, handle } = await upgradeOf({ policy: { rollout: { approvals } } }).start();
    await harness.until(handle, 'it waits for approval', waitsForApproval);
    await handle.executeUpdate(abortUpdate, { args: [operator] });
    const report = await handle.result();
    expect(report.outcome).toBe('aborted');
    expect(report.approval).toBeUndefined();
  });
});

test('zones are replaced one after another, each after approval, and nothing is lost', async () => {
  const approvals = { at: ['zone'], timeoutMs: undefined, onTimeout: 'stall' } as const;
  const { world, harness, handle } = await upgradeOf({
    policy: { rollout: { zones: ['eu-west-1b', 'eu-west-1a'], approvals } },
  }).start();
  const waits = await harness.until(handle, 'it waits for approval', waitsForApproval);
  expect(waits.approval?.of).toBe('zone eu-west-1a');
  expect(replacedIn(waits)).toEqual(['eu-west-1b', 'eu-west-1b']);
  await handle.executeUpdate(approveUpdate, { args: [operator] });
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  const zones = timesOf(report).map(({ zone }) => zone);
  expect(zones).toEqual(['eu-west-1b', 'eu-west-1b', 'eu-west-1a', 'eu-west-1a']);
  expectUnharmed(world);
});

describe('a run that is started from an approved plan', () => {
  async function planNow(world: World, policy: Policy): Promise<ApprovedPlan> {
    const { pools, cluster, loadBalancers, clock } = createSimPorts(world);
    const observer = createObserver({ cluster, loadBalancers, clock });
    const tryRelease = createTrials(cluster)('plan');
    const open = () => ({ cluster, observer, tryRelease });
    const { plan } = await observeAndPlan({ pools, open }, { policy, run: 'plan' });
    return approvedPart(plan);
  }

  function poolOf({ pools }: World) {
    const pool = pools.find(({ name }) => name === 'web');
    if (pool === undefined) throw new Error('the world has no pool');
    return pool;
  }

  test('does exactly that as long as it fits', async () => {
    const { world, policy, start } = upgradeOf();
    const approved = await planNow(world, policy);
    expect(approved.nodes).not.toEqual({});
    const { harness, handle } = await start({}, { approved });
    expect((await harness.finish(handle)).outcome).toBe('completed');
  });

  test('is refused before it changes anything when the world moved, and says what moved', async () => {
    const { world, policy, start } = upgradeOf();
    const approved = { ...(await planNow(world, policy)), surge: 3 };
    const { handle } = await start({}, { approved });
    const failure: unknown = await handle.result().catch((error: unknown) => error);
    expect(JSON.stringify(failure)).toContain('PlanOutdated');
    expect(String((failure as Error).cause)).toContain('the number of new nodes was 3 and is 4');
    expect(world.leases.size).toBe(0);
  });

  const approvals = { at: ['start'], timeoutMs: undefined, onTimeout: 'stall' } as const;

  variation('records what changed while it waited for approval, and continues', async () => {
    const { world, policy, start } = upgradeOf({ policy: { rollout: { approvals } } });
    const { harness, handle } = await start({}, { approved: await planNow(world, policy) });
    await harness.until(handle, 'it waits for approval', waitsForApproval);
    const pool = poolOf(world);
    pool.desiredSize += 1;
    fillPool(world, pool);
    world.changed();
    await handle.executeUpdate(approveUpdate, { args: [operator] });
    const report = await harness.finish(handle);
    expect(report.outcome).toBe('completed');
    expect(report.nodes).toHaveLength(5);
    expect(report.externalChanges.map(({ what }) => what).join()).toContain('the number of new nodes was 4 and is 5');
    expectUnharmed(world);
  });

  test('ends before it changes anything when the pool has another version after the wait', async () => {
    const { world, policy, start } = upgradeOf({ policy: { rollout: { approvals } } });
    const { harness, handle } = await start({}, { approved: await planNow(world, policy) });
    await harness.until(handle, 'it waits for approval', waitsForApproval);
    poolOf(world).version = '1.99';
    world.changed();
    await handle.executeUpdate(approveUpdate, { args: [operator] });
    const failure: unknown = await handle.result().catch((error: unknown) => error);
    expect(String((failure as Error).cause)).toContain('the version of the pool was');
    expect(world.leases.size).toBe(0);
  });
});
