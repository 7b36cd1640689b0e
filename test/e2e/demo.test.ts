import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { askLab } from '../../lab/cluster/lock.ts';
import { until } from '../../lab/process.ts';
import { someOf } from '../support/extent.ts';
import { leftovers, sessionFolders } from './support/leftovers.ts';

const MAIN = fileURLToPath(new URL('../../demo/main.ts', import.meta.url));

let demo: ChildProcess | undefined;
afterEach(() => {
  if (demo?.exitCode === null) demo.kill('SIGKILL');
});

/** Far above what a demo takes until its nodes drain, and below the time limit of a test, ms. */
const maxWaitMs = 720_000;

/** Starts the demo as a shell would, in a process group of its own, and resolves once it has said what is meant. */
async function startDemo(says: RegExp): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN], { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  demo = child;
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`the demo ${what} before it said ${says}:\n${said}`));
    const tooLong = setTimeout(() => fail(`ran for ${maxWaitMs / 1000} s`), maxWaitMs);
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (says.test(said)) resolve();
    });
    child.once('exit', (code) => {
      clearTimeout(tooLong);
      fail(`ended with ${code}`);
    });
  });
  return child;
}

test.each(
  someOf(
    [
      ['at its first word', /\S/],
      ['while the lab comes up', /the API server is ready/],
      ['while load balancers come up', /the load balancers exist/],
      ['while nodes drain', /draining/],
    ],
    2,
  ),
)('Ctrl-C %s ends the demo and leaves nothing behind', async (_, says) => {
  const foldersBefore = await sessionFolders();
  const child = await startDemo(says);
  // A terminal signals the whole foreground group.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await until(async () => (child.exitCode === null ? undefined : true), { what: 'the demo ends', timeoutMs: 60_000 });
  expect(child.exitCode).toBe(130);
  expect(await leftovers()).toEqual([]);
  expect(await sessionFolders()).toEqual(foldersBefore);
  expect(await askLab()).toBeUndefined();
});
