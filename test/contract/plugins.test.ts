/** As a plugin of the real kubectl and the real Temporal command line. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolPaths } from '../../scripts/setup/paths.ts';

const entry = join(import.meta.dirname, '../../bin/nodeferry.cjs');
let folder: string;

/** What `npm install --global` makes of the entries of package.json. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeferry-plugins-'));
  for (const name of ['kubectl-nodeferry', 'temporal-nodeferry']) symlinkSync(entry, join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function call(program: 'kubectl' | 'temporal', args: readonly string[], input = '') {
  const env = { ...process.env, PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin` };
  return spawnSync(toolPaths()[program], args, { encoding: 'utf8', env, input });
}

describe.each(['kubectl', 'temporal'] as const)('%s nodeferry', (program) => {
  test('runs the command line, under the name that was typed', () => {
    const { status, stdout } = call(program, ['nodeferry', '--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: ${program} nodeferry `));
    expect(stdout).toContain('upgrade');
  });

  test('passes on arguments, input and exit codes', () => {
    const { status, stdout } = call(program, ['nodeferry', 'validate', '-f', '-'], 'kind: Nothing\n');
    expect(stdout).toContain("<stdin>:1:7 kind: 'Nothing' is not allowed here");
    expect(status).toBe(64);
  });
});

test('kubectl lists it without a warning', () => {
  const { stdout, stderr } = call('kubectl', ['plugin', 'list']);
  expect(stdout).toContain(join(folder, 'kubectl-nodeferry'));
  expect(stderr).not.toContain('warning');
});
