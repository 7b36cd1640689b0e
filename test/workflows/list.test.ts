import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { startUpgrade } from '../../client/commands/upgrade.ts';
import type { TemporalConnection } from '../../client/connect.ts';
import { listRuns, type RunFilter, readRunningRuns } from '../../client/list-runs.ts';
import { nodeReplacementId, poolUpgradeId, searchAttributes, workflowTypes } from '../../workflows/messages.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import { connectAsCommandsDo } from '../support/command-connection.ts';
import { runCommandLine } from '../support/command-line.ts';

/** Starts a run of a pool that no worker will ever receive. */
async function startRun(connection: TemporalConnection, cluster: string, pool: string) {
  vi.stubEnv('NODEFERRY_TASK_QUEUE', `nobody-${randomUUID()}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const policy = scenarioPolicy();
  const named = { ...policy, cluster: { name: cluster, region: 'eu-west-1' }, pool: { ...policy.pool, name: pool } };
  const { workflowId, run } = await startUpgrade(connection, named, 'a test');
  const handle = connection.client.workflow.getHandle(workflowId);
  onTestFinished(async () => await end(handle));
  return { run, handle, newPool: policy.target.poolName };
}

async function end(handle: { terminate(reason: string): Promise<unknown> }): Promise<void> {
  await handle.terminate('the test is over').catch(() => undefined);
}

/** Starts a workflow that has published what a stalled run publishes. */
async function startStalledRun(connection: TemporalConnection, cluster: string, pool: string): Promise<void> {
  const handle = await connection.client.workflow.start(workflowTypes.poolUpgrade, {
    workflowId: poolUpgradeId(cluster, pool),
    taskQueue: `nobody-${randomUUID()}`,
    typedSearchAttributes: [
      { key: searchAttributes.cluster, value: cluster },
      { key: searchAttributes.pool, value: pool },
      { key: searchAttributes.phase, value: 'replace' },
      { key: searchAttributes.stalled, value: true },
    ],
  });
  onTestFinished(async () => await end(handle));
}

test('lists runs without a worker: those under way, the stalled ones, and with --all those that have ended', async () => {
  const cluster = `o'sim-${randomUUID()}`;
  const connection = await connectAsCommandsDo();
  const web = await startRun(connection, cluster, 'web');
  const ended = await startRun(connection, cluster, 'ended');
  await startStalledRun(connection, cluster, 'batch');
  await ended.handle.terminate('a mistake');

  const list = async (filter: Partial<RunFilter>) => {
    const { runs, more } = await listRuns(connection, { all: false, stalled: false, limit: 10, cluster, ...filter });
    return { more, runs: runs.map(({ pool, state }) => `${pool} ${state}`).toSorted() };
  };

  await expect.poll(() => list({})).toEqual({ more: false, runs: ['batch stalled', 'web preflight'] });
  await expect
    .poll(() => list({ all: true }))
    .toEqual({ more: false, runs: ['batch stalled', 'ended terminated', 'web preflight'] });
  expect(await list({ stalled: true })).toEqual({ more: false, runs: ['batch stalled'] });
  expect(await list({ all: true, limit: 2 })).toMatchObject({ more: true });
  const { runs } = await listRuns(connection, { all: true, stalled: false, limit: 10, cluster });
  expect(runs.find(({ pool }) => pool === 'web')).toMatchObject({ cluster, run: web.run, newPool: web.newPool });
  expect(runs.find(({ pool }) => pool === 'ended')?.closedAt).toBeGreaterThan(Date.UTC(2020));
});

test('names the runs on a cluster that are under way, or whose nodes still are', async () => {
  const cluster = `sim-${randomUUID()}`;
  const connection = await connectAsCommandsDo();
  const { run } = await startRun(connection, cluster, 'web');
  await startRun(connection, `other-${cluster}`, 'web');
  const node = await connection.client.workflow.start(workflowTypes.nodeReplacement, {
    workflowId: nodeReplacementId(cluster, 'batch', 'run-terminated', 'node-1'),
    taskQueue: `nobody-${randomUUID()}`,
    typedSearchAttributes: [{ key: searchAttributes.cluster, value: cluster }],
  });
  onTestFinished(async () => await end(node));

  const names = async () => [...(await readRunningRuns(connection, cluster))].toSorted();

  await expect.poll(names).toEqual([run, 'run-terminated'].toSorted());
});

test('says that there is none, with exit code 0', async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };

  const none = await runCommandLine(['list', '--cluster', `no-${randomUUID()}`], { input: '', env });
  const data = await runCommandLine(['list', '--cluster', `no-${randomUUID()}`, '-o', 'json'], { input: '', env });

  expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/^No run on cluster .* --all/) });
  expect(data).toMatchObject({ code: 0, stdout: '[]\n' });
});
