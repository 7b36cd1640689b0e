import { randomBytes, randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import type { DataConverter } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { loadPayloadCodecs } from '../../adapters/payload-codecs/load.ts';
import { connectTemporalAt } from '../../client/connect.ts';
import { ensureWorkflowBundle, failureConverterPath } from '../../worker/bundle.ts';
import { scheduleId, upgradeOptions, workflowTypes } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { callCommandLine } from '../support/command-line.ts';
import { openHarness } from '../support/open-harness.ts';
import { expectNothingLeft, expectNothingLost } from '../support/run-checks.ts';
import { writeScheduledPolicy } from '../support/schedule/scheduled-pool.ts';
import { storedIn } from '../support/stored-payloads.ts';
import { buildTestBundle, quietLogger } from '../support/temporal-server.ts';

const example = join(import.meta.dirname, '../../examples/encryption-codec.mjs');

let scratch: string;
let codePath: string;
let dataConverter: DataConverter;
/** What commands with the codec have in their environment. */
let withCodec: Readonly<Record<string, string>>;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'nodeferry-codec-'));
  withCodec = copyCodec('codec.mjs');
  Object.assign(process.env, { NODEFERRY_CODEC_KEY: withCodec['NODEFERRY_CODEC_KEY'] });
  dataConverter = { payloadCodecs: await loadPayloadCodecs(join(scratch, 'codec.mjs')), failureConverterPath };
  delete process.env['NODEFERRY_CODEC_KEY'];
  codePath = await buildTestBundle(scratch, { failureConverterPath });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A copy of the example with a key of its own, which it reads when it is loaded. */
function copyCodec(name: string): Readonly<Record<string, string>> {
  copyFileSync(example, join(scratch, name));
  return {
    NODEFERRY_PAYLOAD_CODEC: join(scratch, name),
    NODEFERRY_CODEC_KEY: randomBytes(32).toString('base64'),
  };
}

async function nodeferry(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return await callCommandLine(args, { TEMPORAL_ADDRESS: inject('temporalAddress'), ...env });
}

/** One sentence that says what is missing, and how to get it. */
async function expectUnreadable(args: readonly string[]): Promise<void> {
  const without = await nodeferry(args);
  expect(without).toMatchObject({ code: 64, stdout: '' });
  expect(without.stderr).toMatch(
    /^error InvalidArgument: What Temporal keeps in namespace default is encoded as binary\/encrypted, .*\.\n {2}fix: Set NODEFERRY_PAYLOAD_CODEC .*\n$/,
  );
  const other = await nodeferry(args, copyCodec(`${randomUUID()}.mjs`));
  expect(other).toMatchObject({ code: 64, stdout: '' });
  expect(other.stderr).toMatch(
    /^error InvalidArgument: The payload codec of \S+\.mjs can't decode a payload: .*\n {2}fix: .*\n$/,
  );
}

test('with a payload codec, what Temporal stores of a run is encrypted, and only commands with the codec read it', async () => {
  const world = createScenario({ nodes: 3 });
  let isFixed = false;
  const before = (step: string) => {
    if (step !== 'evictPods' || isFixed) return;
    isFixed = true;
    throw ApplicationFailure.nonRetryable(`ip-10-0-0-1 must be fixed`);
  };
  const harness = await openHarness(world, { before }, { codePath, dataConverter });
  const handle = await harness.start(scenarioPolicy());
  await harness.until(handle, 'stalled', (status) => status.stalled !== undefined);
  const name = handle.workflowId.replace('pool-upgrade/', '');

  const status = await nodeferry(['status', name], withCodec);
  expect(status).toMatchObject({ code: 3, stderr: '' });
  expect(status.stdout).toContain('ip-10-0-0-1 must be fixed');
  await expectUnreadable(['status', name]);
  await expectUnreadable(['resume', name]);
  const pending = await handle.describe();
  expect(pending.raw.pendingActivities?.filter(({ heartbeatDetails }) => heartbeatDetails)).not.toEqual([]);

  expect(await nodeferry(['resume', name], withCodec)).toMatchObject({ code: 0 });
  const report = await harness.finish(handle);
  expect(report.outcome).toBe('completed');
  expectNothingLost(world);
  expectNothingLeft(world, 3);

  const read = await nodeferry(['report', name, '-o', 'json'], withCodec);
  expect(JSON.parse(read.stdout)).toEqual(JSON.parse(JSON.stringify(report)));
  await expectUnreadable(['report', name]);

  const events = await nodeferry(['events', name, '-o', 'json'], withCodec);
  expect(events).toMatchObject({ code: 0, stderr: '' });
  const told = events.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string; readonly message: string });
  expect(told[0]).toMatchObject({ type: 'run-started', by: 'tester' });
  expect(told.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'completed' });
  expect(told.filter(({ type }) => type === 'stalled').map(({ message }) => message)).toContainEqual(
    expect.stringContaining('ip-10-0-0-1 must be fixed'),
  );
  expect(told.filter(({ type }) => type === 'node-replaced')).toHaveLength(3);
  expect(events.stdout).not.toContain('Encoded failure');
  await expectUnreadable(['events', name]);
  await expectUnreadable(['list', '--all', '--cluster', name.split('/')[0] ?? '']);

  const ids = [handle.workflowId, ...report.nodes.flatMap(({ workflowId }) => workflowId ?? [])];
  const histories = await Promise.all(ids.map(async (id) => await harness.workflow(id).fetchHistory()));
  const { payloads, failures } = storedIn([histories, pending.raw]);
  expect(payloads.length).toBeGreaterThan(100);
  expect(payloads.filter(({ encoding }) => encoding !== 'binary/encrypted')).toEqual([]);
  expect(failures.length).toBeGreaterThan(0);
  // The server's own words about a step that was late on a busy machine tell nothing of the run.
  const fromServer = /^activity (?:Heartbeat|StartToClose|ScheduleToStart) timeout$/;
  expect(new Set(failures.filter((text) => !fromServer.test(text)))).toEqual(new Set(['Encoded failure']));

  const workflowBundle = await ensureWorkflowBundle(quietLogger, { encodesFailures: true });
  for (const [index, history] of histories.entries())
    await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, ids[index]);
});

test('a schedule stores its policy encrypted too', async () => {
  const cluster = `sim-${randomUUID()}`;
  const connection = await connectTemporalAt({ address: inject('temporalAddress'), namespace: 'default' });
  onTestFinished(async () => await connection.close());
  const { schedule, workflowService } = connection.client;
  onTestFinished(async () => await schedule.getHandle(scheduleId(cluster, 'web')).delete());
  const policy = join(scratch, 'policy.yaml');
  writeFileSync(policy, writeScheduledPolicy(cluster));
  expect(await nodeferry(['schedule', 'create', '-f', policy], withCodec)).toMatchObject({ code: 0 });

  const stored = storedIn(
    await workflowService.describeSchedule({ namespace: 'default', scheduleId: scheduleId(cluster, 'web') }),
  );
  expect(stored.payloads.length).toBeGreaterThan(0);
  expect(stored.payloads.filter(({ encoding }) => encoding !== 'binary/encrypted')).toEqual([]);
  const described = await nodeferry(['schedule', 'describe', `${cluster}/web`], withCodec);
  expect(described).toMatchObject({ code: 0, stdout: expect.stringContaining('web-1-36 (1.36)') });
  await expectUnreadable(['schedule', 'describe', `${cluster}/web`]);
});

test('a run whose workers do not have the codec waits for one that has it, and does not fail', async () => {
  const harness = await openHarness(createScenario({ nodes: 1 }));
  const place = { address: inject('temporalAddress'), namespace: 'default' };
  const connection = await connectTemporalAt({ ...place, payloadCodecs: [...(dataConverter.payloadCodecs ?? [])] });
  onTestFinished(async () => await connection.close());
  const policy = { ...scenarioPolicy(), cluster: { name: `sim-${randomUUID()}`, region: 'eu-west-1' } };
  const handle = await connection.client.workflow.start(workflowTypes.poolUpgrade, {
    ...upgradeOptions('run-1', policy),
    taskQueue: harness.taskQueue,
    args: [{ run: 'run-1', policy, by: 'ann', reason: 'a test' }],
  });
  onTestFinished(async () => void (await handle.terminate('the test is over')));

  await expect.poll(async () => (await handle.describe()).raw.pendingWorkflowTask?.attempt ?? 0).toBeGreaterThan(2);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  const cluster = policy.cluster.name;
  const doctor = await nodeferry(['doctor', '-o', 'json'], withCodec);
  const stuck = (JSON.parse(doctor.stdout) as readonly { found: string }[]).filter(({ found }) =>
    found.includes(cluster),
  );
  expect(stuck).toEqual([
    expect.objectContaining({ state: 'failed', found: expect.stringContaining('Unknown encoding: binary/encrypted') }),
  ]);
});

test('a command with a codec that the workers do not have sends nothing, and the run continues', async () => {
  const world = createScenario({ nodes: 3 });
  let refused: Promise<unknown> | undefined;
  const before = async (step: string) => {
    if (step !== 'cordonNodes' || refused !== undefined) return;
    refused = nodeferry(['pause', name, '--reason', 'x'], withCodec);
    await refused;
  };
  const harness = await openHarness(world, { before });
  const handle = await harness.start(scenarioPolicy());
  const name = handle.workflowId.replace('pool-upgrade/', '');
  const report = await harness.finish(handle);

  expect(report.outcome).toBe('completed');
  expect(report.actions.map(({ action }) => action)).toEqual(['start']);
  expect(await refused).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(
      /encode payloads as json\/plain, and this command as binary\/encrypted: nothing was sent\./,
    ),
  });
});
