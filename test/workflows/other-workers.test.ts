/** Workers of another version than the code that started a run, or than the command line. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import { fetchRun } from '../../client/fetch-status.ts';
import { sendCommand } from '../../client/operator-command.ts';
import { workerIdentity } from '../../core/connection/worker-identity.ts';
import { poolUpgradeId, workflowTypes } from '../../workflows/messages.ts';
import { connectAsCommandsDo, startForNobody } from '../support/command-connection.ts';
import { runCommandLine } from '../support/command-line.ts';
import { startWorker } from '../support/restartable-worker.ts';
import { bundleOfOthers } from '../support/temporal-server.ts';

/** Starts a worker that has none of the activities of a run, and no workflows but those of the bundle. */
async function startOtherWorker(taskQueue: string, codePath = inject('workflowBundle')): Promise<void> {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await startWorker({
    connection,
    taskQueue,
    identity: workerIdentity('9.9.9', 1, 'elsewhere'),
    workflowBundle: { codePath },
    activities: { anotherStep: async () => undefined, sleepFor: async () => undefined },
  });
  onTestFinished(async () => {
    await worker.pause();
    await connection.close();
  });
}

test('status says which step no worker knows, and what to do', async () => {
  const connection = await connectAsCommandsDo();
  const { handle, target } = await startForNobody(connection, { by: 'ann', reason: '' });
  onTestFinished(async () => void (await handle.terminate('the test is over')));
  await startOtherWorker((await handle.describe()).taskQueue);
  await expect
    .poll(async () => (await fetchRun(connection, target)).status.waiting)
    .toMatchObject({
      for: 'a worker that knows preflight: those that took it do not',
      action: 'updating all workers to the version of the newest',
    });
});

test('status and pause say that workers fail to continue the run, and that the pause was not taken', async () => {
  const connection = await connectAsCommandsDo();
  const target = { cluster: `sim-${randomUUID()}`, pool: 'web' };
  const taskQueue = `test-${randomUUID()}`;
  await startOtherWorker(taskQueue, await bundleOfOthers(dirname(inject('workflowBundle'))));
  const handle = await connection.client.workflow.start(workflowTypes.nodeReplacement, {
    workflowId: poolUpgradeId(target.cluster, target.pool),
    taskQueue,
  });
  onTestFinished(async () => void (await handle.terminate('the test is over')));
  const failing = { problem: { code: 'TemporalUnreachable', hint: expect.stringContaining('nodeferry doctor') } };

  await expect
    .poll(async () => await fetchRun(connection, target).catch((error: unknown) => error), { timeout: 120_000 })
    .toMatchObject(failing);

  const pausing = sendCommand(connection, target, 'pause', { by: 'ann', reason: '' });
  await expect(pausing).rejects.toMatchObject(failing);
});

test('version shows those of the server and the workers, and warns of a worker with another', async () => {
  const taskQueue = `test-${randomUUID()}`;
  await startOtherWorker(taskQueue);
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), NODEFERRY_TASK_QUEUE: taskQueue };
  const ask = async () => await runCommandLine(['version', '-o', 'json'], { input: '', env });
  await expect.poll(async () => (await ask()).stdout).toContain('9.9.9');
  const { code, stdout, stderr } = await ask();
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    server: { version: expect.stringMatching(/^\d+\.\d+/) },
    workers: [{ version: '9.9.9', identity: 'nodeferry 9.9.9 1@elsewhere' }],
  });
  expect(stderr).toMatch(/^warning: 1 of 1 workers are not of version .*, but 9\.9\.9/);
});
