import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packWithNpm } from '../../scripts/release/commands.ts';
import { buildKrewArchive } from '../../scripts/release/krew-archive.ts';
import { krewManifest } from '../../scripts/release/krew-manifest.ts';
import { findGo } from '../../scripts/setup/go.ts';
import { krew } from '../../scripts/setup/krew.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import { copyCheckout, runInstalled } from '../support/installed-package.ts';

const examples = join(import.meta.dirname, '../../examples');

let scratch: string;
let archive: string;
let manifest: string;
let programs: string;
beforeAll(() => {
  const go = findGo();
  if (go === undefined) throw new Error('Go is missing: run `npm run setup`');
  programs = krew.directory(go);
  scratch = mkdtempSync(join(tmpdir(), 'nodeferry-krew-plugin-'));
  const npmPackage = packWithNpm(copyCheckout(join(scratch, 'checkout')), scratch);
  const built = buildKrewArchive(npmPackage, join(scratch, 'plugin.tar.gz'));
  archive = built.path;
  manifest = join(scratch, 'nodeferry.yaml');
  const uri = 'https://example.com/plugin.tar.gz';
  writeFileSync(manifest, krewManifest({ version: '0.1.0', uri, sha256: built.sha256 }));
}, 600_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Installs the plugin as `kubectl krew` does, into a folder of its own, for a platform. */
function install(root: string, platform: Readonly<Record<string, string>>, plugin: string = manifest) {
  return spawnSync(join(programs, 'krew'), ['install', `--manifest=${plugin}`, `--archive=${archive}`], {
    env: { PATH: process.env['PATH'], HOME: scratch, KREW_ROOT: root, KREW_NO_UPGRADE_CHECK: '1', ...platform },
    encoding: 'utf8',
  });
}

test('krew accepts the manifest for its index', () => {
  const checked = spawnSync(join(programs, 'validate-krew-manifest'), ['-skip-install', `-manifest=${manifest}`], {
    encoding: 'utf8',
  });
  expect(checked.stderr).toMatch(/structural validation OK.*no overlapping spec\.platform\[\]\.selector/s);
  expect(checked.status).toBe(0);
});

test('krew refuses an archive that is not the one of the manifest', () => {
  const other = join(scratch, 'other', 'nodeferry.yaml');
  mkdirSync(dirname(other));
  writeFileSync(other, krewManifest({ version: '0.1.0', uri: 'https://example.com/x', sha256: 'a'.repeat(64) }));
  const refused = install(join(scratch, 'refused'), { KREW_OS: 'linux', KREW_ARCH: 'amd64' }, other);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toMatch(/checksum does not match/);
});

test.each([
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
])('krew installs it on %s %s', (os, arch) => {
  const root = join(scratch, `${os}-${arch}`);
  const installed = install(root, { KREW_OS: os, KREW_ARCH: arch });
  expect(installed.status, installed.stderr).toBe(0);
  expect(readlinkSync(join(root, 'bin', 'kubectl-nodeferry'))).toBe(
    join(root, 'store', 'nodeferry', 'v0.1.0', 'kubectl-nodeferry'),
  );
});

describe('the installed plugin', () => {
  let plugins: string;
  beforeAll(() => {
    const root = join(scratch, 'root');
    const installed = install(root, {});
    if (installed.status !== 0) throw new Error(installed.stderr);
    plugins = join(root, 'bin');
  });

  function kubectl(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const PATH = `${plugins}:${dirname(process.execPath)}:/usr/bin:/bin`;
    return runInstalled(toolPaths().kubectl, ['nodeferry', ...args], { PATH, ...env });
  }

  test('is found by kubectl, and names itself as it was called', () => {
    const { status, stdout, stderr } = kubectl(['--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: kubectl nodeferry /);
  });

  test('checks policies, and passes on what kubectl gives it', () => {
    const valid = kubectl(['validate', '-f', join(examples, 'production.yaml')]);
    expect([valid.status, valid.stderr]).toEqual([0, '']);
  });

  test('asks Temporal, and says where none is', () => {
    const { status, stderr } = kubectl(['status', 'prod/web'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(status).toBe(69);
    expect(stderr).toMatch(/^error TemporalUnreachable: /);
  });

  test('reads cluster and cloud, as far as it is let', () => {
    const { status, stderr } = kubectl(['plan', '-f', join(examples, 'minimal.yaml')]);
    expect([status, stderr]).toEqual([69, expect.stringMatching(/^error ClusterUnreachable: .*\n {2}fix: /s)]);
  });

  test.each(['worker', 'dev'])('has no worker, and says so to %s', (command) => {
    const { status, stderr } = kubectl([command], { NODEFERRY_TEMPORAL_CLI: '/bin/false' });
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(/^error InvalidArgument: The kubectl plugin contains no worker\.\n {2}fix: .*\n$/),
    ]);
  });

  test('says what it needs where there is no Node.js', () => {
    const tools = join(scratch, 'tools');
    mkdirSync(tools);
    for (const name of ['sh', 'readlink', 'dirname']) symlinkSync(join('/usr/bin', name), join(tools, name));
    const { status, stderr } = kubectl(['--help'], { PATH: `${plugins}:${tools}` });
    expect(status).toBe(1);
    expect(stderr).toBe('nodeferry needs Node.js 22.19 or later, and there is no node on the PATH.\n');
  });
});
