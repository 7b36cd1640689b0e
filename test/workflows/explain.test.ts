import { expect, inject, test } from 'vitest';
import { pauseUpdate } from '../../workflows/messages.ts';
import { createScenario, scenarioPolicy } from '../simulator/scenario.ts';
import { targetOf } from '../support/command-connection.ts';
import { runCommandLine } from '../support/command-line.ts';
import { openHarness } from '../support/open-harness.ts';

test('explain says why a run waits, and that one which has ended waits for nothing', async () => {
  const harness = await openHarness(createScenario());
  await harness.pauseWorker();
  const handle = await harness.start(scenarioPolicy());
  const paused = handle.executeUpdate(pauseUpdate, { args: [{ by: 'ann', reason: 'error rate is up' }] });
  await harness.restart();
  await paused;
  const { cluster, pool } = targetOf(handle.workflowId);
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), NO_COLOR: '1' };
  const explain = async (...args: string[]) =>
    await runCommandLine(['explain', `${cluster}/${pool}`, ...args], { input: '', env });

  const waiting = await explain();
  const data = await explain('-o', 'json');
  await runCommandLine(['resume', `${cluster}/${pool}`], { input: '', env });
  await handle.result();
  const ended = await explain();

  expect(waiting).toMatchObject({ code: 0, stderr: '' });
  expect(waiting.stdout).toContain('The run is paused by ann: error rate is up. It starts no further node.');
  expect(waiting.stdout).toContain(`next: nodeferry resume ${cluster}/${pool}`);
  expect(JSON.parse(data.stdout)).toMatchObject({
    state: 'paused',
    reasons: expect.arrayContaining([expect.objectContaining({ command: `nodeferry resume ${cluster}/${pool}` })]),
  });
  expect(ended.stdout).toMatch(/: completed, (\d+) of \1 nodes replaced\.\nIt waits for nothing\.\n$/);
});
