import { expect, inject, onTestFinished, test } from 'vitest';
import { pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { connectAsCommandsDo, startForNobody, targetOf } from '../support/command-connection.ts';
import { callCommandLine } from '../support/command-line.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };

/** Watches a run in JSON: its lines, and how the command ended. */
async function watch(target: { readonly cluster: string; readonly pool: string }, ...args: readonly string[]) {
  const name = `${target.cluster}/${target.pool}`;
  const address = inject('temporalAddress');
  const { code, stdout, stderr } = await callCommandLine(['watch', name, '-o', 'json', '--address', address, ...args]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  return { code, stderr, lines };
}

test('a watch in JSON prints one object a line: first the status, in the end the report and the exit code', async () => {
  const { harness, handle } = await upgradeOf({ nodes: 2 }).start();
  await handle.executeUpdate(pauseUpdate, { args: [operator] });
  const paused = await watch(targetOf(handle.workflowId), '--until-stalled');
  await handle.executeUpdate(resumeUpdate, { args: [operator] });
  const report = await harness.finish(handle);
  const ended = await watch(targetOf(handle.workflowId));

  expect(paused).toMatchObject({
    code: 3,
    stderr: '',
    lines: [
      { type: 'snapshot', status: { paused: operator, workflow: { state: 'running' } } },
      { type: 'left', reason: 'stalled', exitCode: 3 },
    ],
  });
  expect(ended).toMatchObject({ code: 6, stderr: '' });
  expect(ended.lines.at(-1)).toMatchObject({
    type: 'ended',
    exitCode: 6,
    report: JSON.parse(JSON.stringify(report)) as object,
  });
});

test('a watch in JSON says when nothing answers, and when it stops watching', async () => {
  const { target, handle } = await startForNobody(await connectAsCommandsDo(), operator);
  onTestFinished(async () => void (await handle.terminate('the test is over').catch(() => undefined)));

  const left = await watch(target, '--timeout', '1s');

  expect(left.code).toBe(124);
  expect(left.lines).toMatchObject([
    { type: 'unreachable', problem: { code: 'TemporalUnreachable' } },
    { type: 'left', reason: 'timeout', exitCode: 124 },
  ]);
});
