import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { exitCodeOfStatus } from '../../client/commands/status.ts';
import { showEnd } from '../../client/commands/watch.ts';
import { fetchClosed, fetchRun } from '../../client/fetch-status.ts';
import { exitCodeOfReport } from '../../client/output/exit-code-of-report.ts';
import { plainStyle } from '../../client/output/style.ts';
import { renderTree } from '../../client/view/tree.ts';
import { pauseUpdate } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { connectAsCommandsDo, startForNobody, targetOf } from '../support/command-connection.ts';
import { openHarness } from '../support/open-harness.ts';
import { upgradeOf } from '../support/upgrade-of.ts';

const operator = { by: 'ann', reason: 'because' };

/** Output on both streams while `act` runs. */
function printed(act: () => number): { readonly code: number; readonly stdout: string; readonly stderr: string } {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = act();
    return { code, stdout: out.mock.calls.join(''), stderr: err.mock.calls.join('') };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

describe('a run that has ended', () => {
  test('shows status and report without a worker', async () => {
    const { harness, handle } = await upgradeOf().start();
    const proof = await handle.result();
    await harness.pauseWorker();

    const run = await fetchRun(await connectAsCommandsDo(), targetOf(handle.workflowId));

    expect(run.report).toEqual(proof);
    expect(run.status.workflow?.state).toBe('completed');
    expect(exitCodeOfReport(proof)).toBe(6);
  });

  test('by failing shows its report and problem, and no command that needs a running workflow', async () => {
    const policy = scenarioPolicy({ pool: { provider: 'eks', name: 'no-such-pool' } });
    const { handle } = await upgradeOf({ policy }).start();
    await expect(handle.result()).rejects.toThrow();

    const run = await fetchClosed(await connectAsCommandsDo(), targetOf(handle.workflowId));
    if (!('status' in run)) throw new Error('it has not ended');
    const tree = renderTree(run.status, Date.now(), plainStyle);
    const told = printed(() => showEnd(run, 'json'));

    expect(tree[0]).toContain('   failed   ');
    expect(tree.join('\n')).toContain('no-such-pool');
    expect(tree.join('\n')).not.toMatch(/nodeferry (resume|abort)/);
    expect(told.code).toBe(1);
    expect(JSON.parse(told.stdout)).toMatchObject({ outcome: 'failed', stalled: { code: 'PoolNotFound' } });
    expect(told.stderr).toContain('nodeferry upgrade');
    expect(printed(() => showEnd(run, 'table')).stdout).toContain('PoolNotFound: ');
  });

  test('by being terminated says so, with exit code 1', async () => {
    const harness = await openHarness(createScenario());
    await harness.pauseWorker();
    const handle = await harness.start(scenarioPolicy());
    const paused = handle.executeUpdate(pauseUpdate, { args: [operator] });
    await harness.restart();
    await paused;
    await harness.workflow(handle.workflowId).terminate('a mistake');

    const run = await fetchClosed(await connectAsCommandsDo(), targetOf(handle.workflowId));
    if (!('status' in run)) throw new Error('it has not ended');

    expect(run.status.workflow).toMatchObject({ state: 'terminated', reason: 'a mistake' });
    expect(exitCodeOfStatus(run.status)).toBe(1);
    const tree = renderTree(run.status, Date.now(), plainStyle);
    expect(tree[0]).toContain('   terminated   ');
    expect(tree.join('\n')).toMatch(/terminated by .* UTC: a mistake/);
    expect(tree.join('\n')).toContain('nodeferry cleanup');
    const told = printed(() => showEnd(run, 'table'));
    expect(told).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('a mistake') });
  });

  test('by being terminated before any worker had it says so too', async () => {
    const connection = await connectAsCommandsDo();
    const { target, handle } = await startForNobody(connection, operator);
    await handle.terminate('a mistake');

    const { status, running } = await fetchRun(connection, target);

    expect(running).toBe(false);
    expect(status).toMatchObject({ run: 'run-1', phase: 'preflight', workflow: { state: 'terminated' } });
  });
});

test('Ctrl-C on a terminal detaches and says so', async () => {
  const harness = await openHarness(createScenario());
  await harness.pauseWorker();
  const handle = await harness.start(scenarioPolicy());
  const paused = handle.executeUpdate(pauseUpdate, { args: [operator] });
  await harness.restart();
  await paused;
  const { cluster, pool } = targetOf(handle.workflowId);
  const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));

  // `script` (util-linux) gives the command its own terminal, and types its input there.
  const command = `stty cols 120 rows 40; exec ${process.execPath} ${main} watch ${cluster}/${pool}`;
  const typing = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, TEMPORAL_ADDRESS: inject('temporalAddress'), TERM: 'xterm' },
  });
  onTestFinished(() => void typing.kill('SIGKILL'));
  let screen = '';
  const ended = new Promise<number | null>((resolve) => typing.once('exit', resolve));
  typing.stdout.setEncoding('utf8').on('data', (part: string) => {
    const wasThere = screen.includes('paused by');
    screen += part;
    if (!wasThere && screen.includes('paused by')) typing.stdin.write('\x03');
  });

  expect(await ended).toBe(130);
  expect(screen).toContain(`Detached; the run continues. Watch it again: nodeferry watch ${cluster}/${pool}`);
});
