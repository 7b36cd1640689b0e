/** The log of a run, read from the histories of its workflows. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ApplicationFailure } from '@temporalio/activity';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { TemporalConnection } from '../../client/connect.ts';
import type { LoggedEvent } from '../../client/events/run-event.ts';
import { openRunLog } from '../../client/events/run-log.ts';
import { pauseUpdate, poolUpgradeId, resumeUpdate } from '../../workflows/messages.ts';
import { connectAsCommandsDo, startForNobody, targetOf } from '../support/command-connection.ts';
import { callCommandLine, runCommandLine } from '../support/command-line.ts';
import { openProxy } from '../support/interruptible-proxy.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };

function nameOf(workflowId: string): string {
  const { cluster, pool } = targetOf(workflowId);
  return `${cluster}/${pool}`;
}

function eventsIn(stdout: string): readonly LoggedEvent[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LoggedEvent);
}

test('a run that has ended tells everything without a worker, oldest first, one JSON object a line', async () => {
  let tries = 0;
  const { harness, handle } = await upgradeOf().start({
    before: (step) => {
      if (step === 'evictPods' && (tries += 1) === 1) throw ApplicationFailure.nonRetryable('no');
    },
  });
  await harness.until(handle, 'a node is stalled', ({ stalled }) => stalled !== undefined);
  await handle.executeUpdate(resumeUpdate, { args: [operator] });
  const report = await harness.finish(handle);
  await harness.pauseWorker();

  const address = ['--address', inject('temporalAddress')];
  const { code, stdout } = await callCommandLine(['events', nameOf(handle.workflowId), '-o', 'json', ...address]);
  const lines = await callCommandLine(['events', nameOf(handle.workflowId), ...address]);

  const events = eventsIn(stdout);
  expect(code).toBe(0);
  expect(lines.stdout.trim().split('\n')).toHaveLength(events.length);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(events[0]).toMatchObject({
    type: 'run-started',
    by: 'tester',
    run: report.run,
    ...targetOf(handle.workflowId),
  });
  expect(events.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'completed' });
  expect(events.filter(({ type }) => type === 'stalled')).toMatchObject([
    { step: 'evicting', problem: { message: 'no' } },
  ]);
  for (const { node, evidence } of report.nodes) {
    const own = events.filter((event) => event.node === node.name);
    // What the run has as evidence is what its events tell, no more and no less.
    expect(own.flatMap((event) => event.evidence ?? [])).toEqual(evidence);
    expect(own.at(-1)?.type).toBe('node-replaced');
  }
});

test('follows a run to its end, and ends with its exit code', async () => {
  const { harness, handle } = await upgradeOf({ nodes: 2 }).start({ after: () => undefined });
  await handle.executeUpdate(pauseUpdate, { args: [operator] });
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), NO_COLOR: '1' };
  const following = runCommandLine(['events', nameOf(handle.workflowId), '-f', '-o', 'json'], { input: '', env });
  await handle.executeUpdate(resumeUpdate, { args: [operator] });
  await harness.finish(handle);

  const { code, stdout } = await following;

  const all = await callCommandLine(['events', nameOf(handle.workflowId), '-o', 'json'], env);
  expect(code).toBe(6);
  expect(
    eventsIn(stdout)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(
    eventsIn(all.stdout)
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('Ctrl-C detaches, with its sentence and exit code 130', async () => {
  const { target, handle } = await startForNobody(await connectAsCommandsDo(), operator);
  onTestFinished(async () => void (await handle.terminate('the test is over').catch(() => undefined)));
  const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'events', `${target.cluster}/${target.pool}`, '-f'], {
    env: { ...process.env, TEMPORAL_ADDRESS: inject('temporalAddress'), NO_COLOR: '1' },
  });
  onTestFinished(() => void child.kill());
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const told = text(child.stderr);
  child.stdout.once('data', () => child.kill('SIGINT'));

  expect(await ended).toBe(130);
  expect(await told).toContain(`Follow it again: nodeferry events ${target.cluster}/${target.pool} -f`);
});

test('a server that is away for a while is waited for, and nothing is missing afterwards', async () => {
  const { target, handle } = await startForNobody(await connectAsCommandsDo(), operator);
  onTestFinished(async () => void (await handle.terminate('the test is over').catch(() => undefined)));
  const proxy = await openProxy(inject('temporalAddress'));
  const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'events', `${target.cluster}/${target.pool}`, '-f', '-o', 'json'], {
    env: { ...process.env, TEMPORAL_ADDRESS: proxy.address },
  });
  onTestFinished(() => void child.kill());
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const told = text(child.stdout);
  child.stdout.once('data', () => proxy.interrupt());
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part;
    if (said.includes('Waiting since')) proxy.restore();
  });
  await expect.poll(() => said, { timeout: 200_000 }).toContain('It answers again.');
  await handle.terminate('a mistake');

  expect(await ended).toBe(1);
  expect(eventsIn(await told).map(({ type, message }) => `${type} ${message}`)).toEqual([
    'run-started start by ann: because',
    expect.stringMatching(/^run-ended terminated .*: a mistake$/),
  ]);
});

test('an answer that is lost half-way loses no event', async () => {
  const { harness, handle } = await upgradeOf({ nodes: 2 }).start();
  await harness.finish(handle);
  const connection = await connectAsCommandsDo();
  let calls = 0;
  // The fourth question is about the first node: the history of the run has been read by then.
  const unsteady: TemporalConnection = {
    ...connection,
    within: async (call, timeoutMs) => {
      if ((calls += 1) === 4) throw new Error('Timeout');
      return await connection.within(call, timeoutMs);
    },
  };
  const target = targetOf(handle.workflowId);
  const log = await openRunLog(
    unsteady,
    connection.client.workflow.getHandle(poolUpgradeId(target.cluster, target.pool)),
  );
  const steady = await openRunLog(connection, connection.client.workflow.getHandle(handle.workflowId));

  await expect(log.read()).rejects.toThrow('Timeout');
  const { events } = await log.read();

  expect(events).toEqual((await steady.read()).events);
  expect((await steady.read()).events).toEqual([]);
});
