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

/** Starts the demo as a shell would, in a process group of its own, and resolves once it has said what is meant. */
async function startDemo(says: RegExp): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN], { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (says.test(said)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code} before it said ${says}:\n${said}`)));
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
  demo = await startDemo(says);
  // A terminal signals the whole foreground group.
  process.kill(-(demo.pid ?? 0), 'SIGINT');
  await until(async () => (demo?.exitCode === null ? undefined : true), { what: 'the demo ends', timeoutMs: 60_000 });
  expect(demo.exitCode).toBe(130);
  expect(await leftovers()).toEqual([]);
  expect(await sessionFolders()).toEqual(foldersBefore);
  expect(await askLab()).toBeUndefined();
});
