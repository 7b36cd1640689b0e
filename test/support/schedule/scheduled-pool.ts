import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import { inject, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { TemporalConnection } from '../../../client/connect.ts';
import type { SeenSchedule } from '../../../client/schedule/seen-schedule.ts';
import { poolUpgradeId, scheduleId } from '../../../workflows/messages.ts';
import { connectAsCommandsDo } from '../command-connection.ts';
import { runCommandLine } from '../command-line.ts';
import { quiet } from '../temporal-harness.ts';
import { quietLogger } from '../temporal-server.ts';
import type { Ending, poolUpgrade } from './workflows.ts';

/** A pool of a cluster of its own on the real Temporal server of the test run, and `nodeferry schedule` as its operator has it. */
export interface ScheduledPool {
  readonly cluster: string;
  /** `cluster/pool`. */
  readonly name: string;
  readonly taskQueue: string;
  readonly connection: TemporalConnection;
  readonly handle: ReturnType<TemporalConnection['client']['schedule']['getHandle']>;
  /** The upgrade of the pool, whoever starts it. */
  readonly upgrade: WorkflowHandle<typeof poolUpgrade>;
  /** A policy of this pool as it is written, with other fields in its `spec`. */
  policy(spec?: Readonly<Record<string, unknown>>): string;
  /** Runs a command of `nodeferry schedule`, with a policy on standard input. */
  run(args: readonly string[], input?: string): ReturnType<typeof runCommandLine>;
  /** `schedule describe -o json`. */
  describe(): Promise<SeenSchedule>;
  /** The same again until it says what is waited for. */
  until(what: string, isTrue: (schedule: SeenSchedule) => boolean): Promise<SeenSchedule>;
}

/** What a launcher finds out about its pool, unless a test says something else. */
const isDue = { isDue: true, reason: 'its upgrade window opens' };

/** How long a test waits for what Temporal and a worker do, ms. */
const patienceMs = 60_000;

/** A window of two hours that opens in six: nothing starts by itself while a test runs. */
export function farWindow(now = Date.now()) {
  return { start: timeOfDay(now + 6 * 3_600_000), end: timeOfDay(now + 8 * 3_600_000) };
}

function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

/** A policy of pool `web` as it is written, with such a window and with other fields in its `spec`. */
export function writeScheduledPolicy(cluster: string, spec: Readonly<Record<string, unknown>> = {}): string {
  return stringify({
    apiVersion: 'nodeferry.dev/v1alpha1',
    kind: 'PoolUpgrade',
    metadata: { name: 'web' },
    spec: {
      cluster: { name: cluster, region: 'eu-west-1' },
      pool: { name: 'web' },
      target: { version: '1.36' },
      schedule: { timeZone: 'UTC', windows: [farWindow()] },
      ...spec,
    },
  });
}

/** Opens a pool without a schedule and without a worker. What is left of it ends with the test. */
export async function openScheduledPool(): Promise<ScheduledPool> {
  const cluster = `sim-${randomUUID().slice(0, 8)}`;
  const taskQueue = `test-${randomUUID()}`;
  const connection = await connectAsCommandsDo();
  const handle = connection.client.schedule.getHandle(scheduleId(cluster, 'web'));
  const upgrade = connection.client.workflow.getHandle<typeof poolUpgrade>(poolUpgradeId(cluster, 'web'));
  onTestFinished(async () => {
    // A test may have deleted it.
    await Promise.allSettled([handle.delete()]);
    await terminateRuns(connection, cluster);
  });
  const name = `${cluster}/web`;
  const run: ScheduledPool['run'] = async (args, input = '') => {
    const env = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      NODEFERRY_TASK_QUEUE: taskQueue,
      NODEFERRY_USER: 'ann',
      NO_COLOR: '1',
    };
    return await runCommandLine(['schedule', ...args], { input, env });
  };
  const describe = async (): Promise<SeenSchedule> =>
    JSON.parse((await run(['describe', name, '-o', 'json'])).stdout) as SeenSchedule;
  return {
    cluster,
    name,
    taskQueue,
    connection,
    handle,
    upgrade,
    policy: (spec) => writeScheduledPolicy(cluster, spec),
    run,
    describe,
    until: async (what, isTrue) => {
      const giveUpAt = Date.now() + patienceMs;
      for (;;) {
        const schedule = await describe();
        if (isTrue(schedule)) return schedule;
        if (Date.now() > giveUpAt) throw new Error(`never: ${what}\n${JSON.stringify(schedule, null, 2)}`);
      }
    },
  };
}

/** Terminates the launchers and upgrades of a cluster: their worker ends with the test. */
async function terminateRuns({ client }: TemporalConnection, cluster: string): Promise<void> {
  const query = `NodeferryCluster = "${cluster}" AND ExecutionStatus = "Running"`;
  // One that has ended meanwhile is what is wanted.
  for await (const { workflowId } of client.workflow.list({ query }))
    await client.workflow
      .getHandle(workflowId)
      .terminate('the test is over')
      .catch(() => undefined);
}

let bundling: Promise<WorkflowBundle> | undefined;

/** Starts a worker with the real launcher, and with upgrades that end when a test says so. */
export async function startScheduledWorker({ taskQueue }: ScheduledPool, answer = isDue): Promise<void> {
  quiet();
  const workflowsPath = fileURLToPath(new URL('workflows.ts', import.meta.url));
  bundling ??= bundleWorkflowCode({ workflowsPath, logger: quietLogger }).then(({ code }) => ({ code }));
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await bundling,
    activities: { checkLaunch: async () => ({ outcome: 'done', at: Date.now(), ...answer }) },
    shutdownGraceTime: 0,
  });
  const running = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });
}

/** Has the upgrade of a pool end, and waits until it has. */
export async function endUpgrade({ upgrade }: ScheduledPool, ending: Ending): Promise<void> {
  await upgrade.signal('end', ending);
  // A failure is one of the endings.
  await upgrade.result().catch(() => undefined);
}

/** Waits until the upgrade of a pool is running. */
export async function untilUpgrading({ upgrade }: ScheduledPool): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    if (await isRunning(upgrade)) return;
    if (Date.now() > giveUpAt) throw new Error('never: the upgrade is running');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function isRunning(handle: WorkflowHandle): Promise<boolean> {
  try {
    return (await handle.describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
