import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDatabase } from '../../client/dev-lock.ts';
import { NodeferryError } from '../../core/model/problem.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'nodeferry-dev-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function problemOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof NodeferryError) return error.problem;
    throw error;
  }
  return undefined;
}

/** The ID of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid ?? 0;
}

test('a database is used by one at a time', () => {
  const database = join(scratch, 'some', 'folder', 'runs.db');
  const lock = lockDatabase(database);
  const problem = problemOf(() => lockDatabase(database));
  expect(problem?.code).toBe('AlreadyRunning');
  expect(problem?.message).toContain(`process ${process.pid}`);
  lock.release();
  lockDatabase(database).release();
});

test('a server that has outlived its command still has it', async () => {
  const database = join(scratch, 'runs.db');
  writeFileSync(`${database}.lock`, JSON.stringify([{ pid: await endedProcess() }, { pid: process.pid }]));
  expect(problemOf(() => lockDatabase(database))?.code).toBe('AlreadyRunning');
});

test.each([
  ['of processes that have ended', async () => JSON.stringify([{ pid: await endedProcess() }])],
  ['of a process whose ID another has now', async () => JSON.stringify([{ pid: process.pid, began: '1' }])],
  ['that is empty', async () => ''],
])('a lock %s is left over', async (_name, contents) => {
  const database = join(scratch, 'runs.db');
  writeFileSync(`${database}.lock`, await contents());
  lockDatabase(database).release();
  expect(existsSync(`${database}.lock`)).toBe(false);
});

test.each(['/proc/x/y.db', '/dev/null/x/y.db'])('an impossible path is refused at once: %s', (database) => {
  const problem = problemOf(() => lockDatabase(database));
  expect(problem?.code).toBe('InvalidArgument');
  expect(problem?.hint).toContain('--database');
});
