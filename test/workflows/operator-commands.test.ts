import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { monitorRun } from '../../client/commands/watch.ts';
import { sendCommand } from '../../client/operator-command.ts';
import { Interrupted } from '../../client/output/interrupt.ts';
import { abortUpdate, pauseUpdate, poolUpgradeId, resumeUpdate, withdrawSignal } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { connectAsCommandsDo, startForNobody, targetOf } from '../support/command-connection.ts';
import { runCommandLine } from '../support/command-line.ts';
import { openHarness } from '../support/open-harness.ts';

const operator = { by: 'ann', reason: 'because' };

/** A paused run whose worker has gone. */
async function runWithoutWorker() {
  const harness = await openHarness(createScenario());
  await harness.pauseWorker();
  const handle = await harness.start(scenarioPolicy());
  const early = handle.executeUpdate(pauseUpdate, { args: [operator] });
  await harness.restart();
  await early;
  await harness.pauseWorker();
  return { harness, handle, target: targetOf(handle.workflowId) };
}

describe('a command that no worker receives', () => {
  test('is withdrawn: a worker that starts later does not run it', async () => {
    const { harness, handle, target } = await runWithoutWorker();
    const connection = await connectAsCommandsDo();

    await expect(sendCommand(connection, target, 'abort', operator, { waitMs: 1_000 })).rejects.toMatchObject({
      problem: { code: 'TemporalUnreachable', message: expect.stringContaining('was withdrawn') },
    });

    await harness.restart();
    await sendCommand(connection, target, 'resume', operator);
    const report = await handle.result();
    expect(report.outcome).toBe('completed');
    expect(report.actions.map(({ action }) => action)).toEqual(['start', 'pause', 'resume']);
  });

  test.each([true, false])('takes effect with the next worker unless it is withdrawn (%s)', async (isWithdrawn) => {
    const { harness, handle } = await runWithoutWorker();
    const alone = (await connectAsCommandsDo()).client.workflow.getHandle(handle.workflowId);
    const updateId = randomUUID();
    const given = alone.executeUpdate(abortUpdate, { updateId, args: [operator] }).catch((error: unknown) => error);
    if (isWithdrawn) await alone.signal(withdrawSignal, updateId);

    await harness.restart();

    expect(await given).toEqual(isWithdrawn ? expect.any(WorkflowUpdateFailedError) : expect.anything());
    if (isWithdrawn) await handle.executeUpdate(resumeUpdate, { args: [operator] });
    expect((await handle.result()).outcome).toBe(isWithdrawn ? 'completed' : 'aborted');
  });

  test('is withdrawn too when the operator interrupts it', async () => {
    const { harness, handle, target } = await runWithoutWorker();
    const connection = await connectAsCommandsDo();

    const given = sendCommand(connection, target, 'abort', operator, { impatience: AbortSignal.timeout(1_000) });
    await expect(given).rejects.toThrow(
      new Interrupted('Interrupted: the abort was withdrawn and will not take effect.'),
    );

    await harness.restart();
    const status = await harness.until(handle, 'it is paused', ({ paused }) => paused !== undefined);
    expect(status.actions.map(({ action }) => action)).toEqual(['start', 'pause']);
    await expect(
      sendCommand(connection, target, 'abort', operator, { impatience: AbortSignal.abort() }),
    ).rejects.toThrow(new Interrupted('Interrupted: the abort was not sent.'));
  });

  test('succeeds when a worker has received it before the withdrawal', async () => {
    const { harness, target } = await runWithoutWorker();
    const connection = await connectAsCommandsDo();

    const given = sendCommand(connection, target, 'abort', operator, { waitMs: 60_000 });
    await harness.restart();

    expect(await given).toMatchObject({ run: 'run-1' });
  });
});

test('a command is not even sent where no worker polls', async () => {
  const connection = await connectAsCommandsDo();
  const { target, handle } = await startForNobody(connection, operator);
  onTestFinished(async () => void (await handle.terminate('the test is over')));
  const before = (await handle.describe()).historyLength;

  await expect(sendCommand(connection, target, 'abort', operator)).rejects.toMatchObject({
    problem: { code: 'TemporalUnreachable', message: expect.stringContaining('the abort was not sent') },
  });

  expect((await handle.describe()).historyLength).toBe(before);
});

test('an upgrade starts nothing where no worker polls, and says so', async () => {
  const cluster = `sim-${randomUUID()}`;
  const input = stringify({
    apiVersion: 'nodeferry.dev/v1alpha1',
    kind: 'PoolUpgrade',
    metadata: { name: 'web' },
    spec: { cluster: { name: cluster, region: 'eu-west-1' }, pool: { name: 'web' }, target: { version: '1.36' } },
  });
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), NODEFERRY_TASK_QUEUE: `nobody-${randomUUID()}` };

  const refused = await runCommandLine(['upgrade', '-f', '-', '--yes'], { input, env });

  expect(refused).toMatchObject({ code: 69, stdout: '', stderr: expect.stringContaining('nothing was started') });
  const handle = (await connectAsCommandsDo()).client.workflow.getHandle(poolUpgradeId(cluster, 'web'));
  await expect(handle.describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);
});

test('a watch waits for a worker that has gone, says so, and continues with the next', async () => {
  const { harness, target } = await runWithoutWorker();
  const written: string[] = [];
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    if (written.length === 1) void harness.restart();
    return true;
  });
  onTestFinished(() => stderr.mockRestore());

  const watched = monitorRun(await connectAsCommandsDo(), target, {
    output: 'json',
    asLines: false,
    untilStalled: true,
    timeoutMs: undefined,
  });

  expect(await watched).toBe(3);
  expect(written[0]).toMatch(/Waiting since .* but no nodeferry worker does/);
  expect(written[1]).toContain('It answers again.');
});
