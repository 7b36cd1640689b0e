import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { TemporalConnection } from '../../client/connect.ts';
import type { Check } from '../../client/doctor/check.ts';
import { checkTemporal } from '../../client/doctor/temporal.ts';
import { workerIdentity } from '../../core/connection/worker-identity.ts';
import { temporalPath } from '../../scripts/setup/temporal.ts';
import { longWaits, poolUpgradeId, scheduleId, searchAttributes, workflowTypes } from '../../workflows/messages.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';
import { runCommandLine } from '../support/command-line.ts';
import { openOwnNamespace, ownAttributes } from '../support/own-namespace.ts';
import { startWorker } from '../support/restartable-worker.ts';
import { bundleOfOthers, quietLogger } from '../support/temporal-server.ts';

// Workers fail here on purpose, again and again.
Runtime.install({ logger: quietLogger });

const taskQueue = 'doctor';
const version = '0.9.0';

async function examine(connection: TemporalConnection): Promise<readonly Check[]> {
  const { checks, isReachable } = await checkTemporal(Promise.resolve(connection), {
    taskQueue,
    version,
    now: Date.now(),
  });
  expect(isReachable).toBe(true);
  return checks;
}

function statesOf(checks: readonly Check[]): readonly string[] {
  return checks.map(({ id, state }) => `${id} ${state}`);
}

/** Starts a worker of a version, without any step, in a namespace. */
async function openWorker({ namespace }: TemporalConnection, options: { codePath?: string; version?: string } = {}) {
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await startWorker({
    connection,
    namespace,
    taskQueue,
    identity: workerIdentity(options.version ?? version, 7, 'host'),
    workflowBundle: { codePath: options.codePath ?? inject('workflowBundle') },
    activities: Object.fromEntries(longWaits.map((name) => [name, async () => undefined])),
    shutdownGraceTime: 0,
  });
  onTestFinished(async () => {
    await worker.pause();
    await connection.close();
  });
}

/** Runs a command line of `temporal` as its reader would. */
function runFix(fix: string | undefined): void {
  const command = fix?.split('\n')[1] ?? '';
  const env = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    PATH: `${dirname(temporalPath())}:${process.env['PATH']}`,
  };
  execFileSync('sh', ['-c', command], { env: { ...process.env, ...env }, stdio: 'ignore' });
}

describe('nodeferry doctor', () => {
  test('finds everything in order where a worker of its version polls', async () => {
    const connection = await openOwnNamespace();
    await openWorker(connection);

    const checks = async () => statesOf(await examine(connection));

    await expect
      .poll(checks)
      .toEqual([
        'temporal.server ok',
        'temporal.namespace ok',
        'temporal.search-attributes ok',
        'workers.pollers ok',
        'workers.versions ok',
        'runs.workflow-tasks ok',
        'runs.steps ok',
        'runs.stalled ok',
        'schedules ok',
      ]);
  });

  test('warns of a short retention, which its fix lengthens, and of workers of another version', async () => {
    const connection = await openOwnNamespace({ retentionSeconds: 86_400 });
    await openWorker(connection, { version: '0.8.0' });

    await expect
      .poll(async () => await examine(connection))
      .toContainEqual({
        id: 'workers.versions',
        state: 'warning',
        found: "1 of 1 are not of this command's version 0.9.0, but 0.8.0",
        fix: expect.stringContaining('Update whichever is older.'),
      });
    const [, namespace] = await examine(connection);

    expect(namespace).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('ended for 1d; their reports'),
    });
    runFix(namespace?.fix);
    await expect.poll(async () => (await examine(connection))[1]).toMatchObject({ state: 'ok' });
  });

  test('names the search attributes that are missing or mistyped, and the commands that register them', async () => {
    const {
      [searchAttributes.pool.name]: _pool,
      [searchAttributes.stalled.name]: _stalled,
      ...others
    } = ownAttributes();
    const connection = await openOwnNamespace({ attributes: { ...others, [searchAttributes.phase.name]: 1 } });
    const { namespace } = connection;

    const checks = await examine(connection);
    const found = checks.filter(({ id }) => id === 'temporal.search-attributes');

    expect(found).toEqual([
      {
        id: 'temporal.search-attributes',
        state: 'failed',
        found: `${namespace} does not know NodeferryPool, NodeferryStalled`,
        fix: `Register what is missing:\ntemporal operator search-attribute create --namespace ${namespace} --name NodeferryPool --type Keyword --name NodeferryStalled --type Bool`,
      },
      {
        id: 'temporal.search-attributes',
        state: 'failed',
        found: 'NodeferryPhase is registered as TEXT instead of KEYWORD',
        fix: `Register it anew, once nobody else needs it:\ntemporal operator search-attribute remove --namespace ${namespace} --name NodeferryPhase --yes && temporal operator search-attribute create --namespace ${namespace} --name NodeferryPhase --type Keyword`,
      },
    ]);
    expect(statesOf(checks)).toEqual(expect.arrayContaining(['runs.stalled unknown', 'schedules unknown']));
    for (const { fix } of found) runFix(fix);
    await expect
      .poll(async () => statesOf(await examine(connection)))
      .toEqual(expect.arrayContaining(['temporal.search-attributes ok', 'runs.stalled ok', 'schedules ok']));
  });

  test('says which workflow makes no progress, and which one waits for a step that no worker knows', async () => {
    const connection = await openOwnNamespace();
    await openWorker(connection, { codePath: await bundleOfOthers(dirname(inject('workflowBundle'))) });
    const { workflow } = connection.client;
    const policy = scenarioPolicy();
    const stuck = `node-replacement/sim/web/run-1/${randomUUID()}`;
    const waiting = `window-launcher/sim/web-${randomUUID()}`;
    await workflow.start(workflowTypes.nodeReplacement, { workflowId: stuck, taskQueue });
    const args = [{ schedule: scheduleId('sim', 'web'), policy }];
    await workflow.start(workflowTypes.windowLauncher, { workflowId: waiting, taskQueue, args });

    const failed = async () => (await examine(connection)).filter(({ state }) => state === 'failed');

    await expect.poll(failed, { timeout: 120_000, interval: 1_000 }).toEqual([
      {
        id: 'runs.workflow-tasks',
        state: 'failed',
        found: expect.stringMatching(new RegExp(`^${stuck} makes no progress, .* attempt \\d+: .*nodeReplacement`)),
        fix: expect.stringContaining(
          `\ntemporal workflow show --namespace ${connection.namespace} --workflow-id ${stuck}`,
        ),
      },
      {
        id: 'runs.steps',
        state: 'failed',
        found: `${waiting} waits for a worker that knows checkLaunch: a newer version has started it`,
        fix: 'Update all workers to the version of the newest.',
      },
    ]);
    runFix((await failed())[0]?.fix);
  });

  test('warns of a stalled run, of a paused schedule, and of one whose windows never open', async () => {
    const connection = await openOwnNamespace();
    const { client } = connection;
    const typedSearchAttributes = [
      { key: searchAttributes.cluster, value: 'prod' },
      { key: searchAttributes.pool, value: 'web' },
    ];
    await client.workflow.start(workflowTypes.poolUpgrade, {
      workflowId: poolUpgradeId('prod', 'web'),
      taskQueue,
      typedSearchAttributes: [
        ...typedSearchAttributes,
        { key: searchAttributes.phase, value: 'replace' },
        { key: searchAttributes.stalled, value: true },
      ],
    });
    const long = { name: 'for ever', from: at(2020), to: at(2100) };
    const windows = [{ days: ['Mon'], startMinute: 0, endMinute: 60 }];
    const policy = { ...scenarioPolicy(), schedule: { timeZone: 'UTC', windows, freezes: [long], calendars: [] } };
    const schedule = scheduleId('prod', 'web');
    await client.schedule.create({
      scheduleId: schedule,
      spec: {},
      action: {
        type: 'startWorkflow',
        workflowType: workflowTypes.windowLauncher,
        taskQueue,
        args: [{ schedule, policy }],
      },
      state: { paused: true, note: 'paused by ann: release week' },
      typedSearchAttributes,
    });

    const warnings = async () => (await examine(connection)).filter(({ state }) => state === 'warning');

    await expect.poll(warnings).toEqual([
      {
        id: 'runs.stalled',
        state: 'warning',
        found: 'the run of prod/web is stalled in phase replace',
        fix: 'See why, and what to do:\nnodeferry explain prod/web',
      },
      {
        id: 'schedules.paused',
        state: 'warning',
        found: 'the schedule of prod/web is paused: paused by ann: release week',
        fix: 'Once the cause is fixed:\nnodeferry schedule resume prod/web --reason TEXT',
      },
      {
        id: 'schedules.openings',
        state: 'warning',
        found: 'no window of the schedule of prod/web opens within 400 days',
        fix: expect.stringContaining('\nnodeferry schedule apply -f POLICY'),
      },
    ]);
  });
});

function at(year: number) {
  return { year, month: 1, day: 1, hour: 0, minute: 0, second: 0 };
}

describe('its exit code', () => {
  const kubeconfig = fileURLToPath(new URL('../support/kubeconfig.json', import.meta.url));
  const nowhere = 'http://127.0.0.1:1';
  const aws = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: nowhere, KUBECONFIG: kubeconfig };

  test('is 0 with warnings, and 1 without a worker, whose start is the fix', async () => {
    const connection = await openOwnNamespace({ retentionSeconds: 86_400 });
    const { namespace } = connection;
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), NODEFERRY_TASK_QUEUE: taskQueue, NO_COLOR: '1' };
    const run = async () => await runCommandLine(['doctor', '--namespace', namespace], { input: '', env });

    const without = await run();
    await openWorker(connection);

    expect(without).toMatchObject({ code: 1, stderr: '' });
    expect(without.stdout).toMatch(/^failed {4}workers\.pollers +no worker has polled task queue doctor /m);
    expect(without.stdout).toMatch(/^ +NODEFERRY_TASK_QUEUE=doctor nodeferry worker$/m);
    await expect.poll(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n2 warning, 7 ok\n$/) });
  });

  test('is 1 where there is no such namespace, which is said once', async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress') };

    const missing = await runCommandLine(['doctor', '--namespace', 'nowhere', '-o', 'json'], { input: '', env });

    expect(missing).toMatchObject({ code: 1, stderr: '' });
    expect(statesOf(JSON.parse(missing.stdout))).toEqual([
      'temporal.server ok',
      'temporal.namespace failed',
      'temporal.search-attributes unknown',
      'workers unknown',
      'runs unknown',
      'schedules unknown',
    ]);
  });

  test('is 69 without Temporal, and the cluster and the cloud are checked all the same', async () => {
    const env = { ...aws, TEMPORAL_ADDRESS: '127.0.0.1:1' };

    const result = await runCommandLine(['doctor', '-f', '-', '-o', 'json'], { input: 'spec: {}', env });

    expect(result).toMatchObject({ code: 69, stderr: '' });
    expect(statesOf(JSON.parse(result.stdout))).toEqual([
      'temporal.server failed',
      'temporal.namespace unknown',
      'temporal.search-attributes unknown',
      'workers unknown',
      'runs unknown',
      'schedules unknown',
      'policy failed',
      'cluster.api-server failed',
      'cluster.permissions unknown',
      'leftovers unknown',
      'cloud.pool unknown',
      'cloud.permissions unknown',
    ]);
  });
});
