import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { cacheDirectory, publishDirectory, shortHash, withLock } from '../../scripts/setup/cache.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'nodeferry-cache-'));
  vi.stubEnv('XDG_CACHE_HOME', home);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

test('publishes a folder once its build is complete', async () => {
  await publishDirectory('tool', async (directory) => {
    expect(existsSync(join(cacheDirectory(), 'tool'))).toBe(false);
    writeFileSync(join(directory, 'program'), '');
  });

  expect(readdirSync(cacheDirectory())).toEqual(['tool']);
  expect(readdirSync(join(cacheDirectory(), 'tool'))).toEqual(['program']);
});

test('leaves nothing of a build that fails', async () => {
  const build = publishDirectory('tool', async (directory) => {
    writeFileSync(join(directory, 'half'), '');
    throw new Error('the disk is full');
  });

  await expect(build).rejects.toThrow('the disk is full');
  expect(readdirSync(cacheDirectory())).toEqual([]);
});

test('replaces what an interrupted build of the same folder has left', async () => {
  await publishDirectory('tool', async () => writeFileSync(join(cacheDirectory(), '.tool.interrupted'), ''));

  await publishDirectory('tool', async (directory) => writeFileSync(join(directory, 'new'), ''));

  expect(readdirSync(cacheDirectory())).toEqual(['tool']);
});

test('two owners of the same lock work one after the other', async () => {
  const events: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = withLock(
    'tool',
    () => events.push('first waits'),
    async () => {
      events.push('first starts');
      await gate.promise;
      events.push('first ends');
    },
  );
  const second = withLock(
    'tool',
    () => {
      events.push('second waits');
      gate.resolve();
    },
    async () => void events.push('second starts'),
  );

  await Promise.all([first, second]);

  expect(events).toEqual(['first starts', 'second waits', 'first ends', 'second starts']);
});

test('a lock is free again when its owner has been killed', async () => {
  const module = join(import.meta.dirname, '../../scripts/setup/cache.ts');
  const program = `
    import { withLock } from ${JSON.stringify(module)};
    await withLock('tool', () => {}, () => { console.log('locked'); return new Promise(() => setInterval(() => {}, 1000)); });
  `;
  const owner = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(owner.stdout, 'data');

  const waited = vi.fn(() => owner.kill('SIGKILL'));
  await withLock('tool', waited, async () => undefined);

  expect(waited).toHaveBeenCalledOnce();
});

test('tells apart parts that would read the same one after the other', () => {
  expect(shortHash(['ab', 'c'])).not.toBe(shortHash(['a', 'bc']));
});
