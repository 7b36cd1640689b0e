import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { startUpgrade } from '../../client/commands/upgrade.ts';
import { fetchClosed } from '../../client/fetch-status.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import { connectAsCommandsDo, targetOf } from '../support/command-connection.ts';
import { callCommandLine } from '../support/command-line.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

/** Starts another run of a pool, which no worker ever receives. */
async function startAgain(cluster: string, pool: string) {
  vi.stubEnv('NODEFERRY_TASK_QUEUE', `nobody-${randomUUID()}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const connection = await connectAsCommandsDo();
  const policy = scenarioPolicy();
  const named = { ...policy, cluster: { name: cluster, region: 'eu-west-1' }, pool: { ...policy.pool, name: pool } };
  const { run, workflowId } = await startUpgrade(connection, named, 'again');
  const handle = connection.client.workflow.getHandle(workflowId);
  onTestFinished(async () => void (await handle.terminate('the test is over').catch(() => undefined)));
  return { run, handle, connection };
}

test('the report of an earlier run is found by the ID of that run, without a worker', async () => {
  const { harness, handle } = await upgradeOf().start();
  const proof = await handle.result();
  await harness.pauseWorker();
  const target = targetOf(handle.workflowId);
  const { runId } = await handle.describe();
  const again = await startAgain(target.cluster, target.pool);
  const name = `${target.cluster}/${target.pool}`;
  const call = async (...args: readonly string[]) =>
    await callCommandLine([...args, '--address', inject('temporalAddress')]);

  const report = await call('report', name, '--run', runId, '-o', 'json');
  const status = await call('status', name, '--run', runId, '-o', 'json');
  const watched = await call('watch', name, '--run', runId);
  const latest = await fetchClosed(again.connection, { ...target, run: again.run });
  const unfinished = await call('report', name, '--run', again.run);
  const unknown = await call('report', name, '--run', 'run-0');

  expect(JSON.parse(report.stdout)).toEqual(proof);
  expect(JSON.parse(status.stdout)).toMatchObject({ run: proof.run, workflow: { state: 'completed' } });
  expect(watched).toMatchObject({ code: 6, stdout: expect.stringContaining('completed') });
  expect(latest).toMatchObject({ handle: { workflowId: handle.workflowId } });
  expect(unfinished.stderr).toContain(`nodeferry watch ${name} --run ${again.run}`);
  expect(unknown).toMatchObject({ code: 64, stdout: '' });
  expect(unknown.stderr).toMatch(/There is no run run-0 of .*\n.*nodeferry list --all --cluster/);
});

test('a run is found by the name that the list shows, once another has followed it', async () => {
  const cluster = `sim-${randomUUID()}`;
  const first = await startAgain(cluster, 'web');
  await first.handle.terminate('a mistake');
  await startAgain(cluster, 'web');
  const list = async () =>
    (await callCommandLine(['list', '--all', '--cluster', cluster, '--address', inject('temporalAddress')])).stdout;
  await expect.poll(list).toMatch(new RegExp(` ${first.run} +terminated`));

  const run = await fetchClosed(first.connection, { cluster, pool: 'web', run: first.run });

  expect(run).toMatchObject({ status: { run: first.run, workflow: { state: 'terminated', reason: 'a mistake' } } });
});
