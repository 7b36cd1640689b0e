/** Ctrl-C before Temporal has answered a command that starts or changes something: it may have happened, and that is said. */
import { afterEach, expect, test, vi } from 'vitest';
import { startUpgrade } from '../../client/commands/upgrade.ts';
import type { TemporalConnection } from '../../client/connect.ts';
import { reportFailure } from '../../client/output/fail.ts';
import { triggerSchedule } from '../../client/schedule/schedules.ts';
import { scenarioPolicy } from '../simulator/scenario.ts';

afterEach(() => void vi.restoreAllMocks());

/** Temporal receives a call, and the operator does not wait for its answer. */
function interruptedConnection(): TemporalConnection {
  const connection = {
    within: async () => {
      setImmediate(() => process.emit('SIGINT'));
      return await new Promise<never>(() => undefined);
    },
    client: { schedule: { getHandle: () => ({}) } },
  };
  return connection as unknown as TemporalConnection;
}

async function said(command: Promise<unknown>): Promise<{ readonly code: number; readonly stderr: string }> {
  let stderr = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  const code = await command.then(() => 0, reportFailure);
  return { code, stderr };
}

test.each([
  ['an upgrade', {}],
  ['a drain', { selection: { nodes: [], terminate: false, deleteEmptyDirData: false, force: false } }],
])('the start of %s', async (_, change) => {
  const policy = { ...scenarioPolicy(), ...change } as ReturnType<typeof scenarioPolicy>;
  const { code, stderr } = await said(startUpgrade(interruptedConnection(), policy, 'a test'));
  expect(code).toBe(130);
  expect(stderr).toMatch(
    /^\nInterrupted\. Whether Temporal has started run run-[0-9a-f]{8} of sim\/web is not known\.\nSee whether it continues: nodeferry status sim\/web\n$/,
  );
  expect(process.listeners('SIGINT'), 'the next Ctrl-C ends the process').toEqual([]);
});

test('a change of a schedule', async () => {
  const { code, stderr } = await said(triggerSchedule(interruptedConnection(), { cluster: 'sim', pool: 'web' }));
  expect(code).toBe(130);
  expect(stderr).toBe(
    '\nInterrupted. Whether the schedule of sim/web was triggered is not known.\nSee: nodeferry schedule describe sim/web\n',
  );
});
