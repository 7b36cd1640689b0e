import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { callCommandLine } from '../support/command-line.ts';

const policy = fileURLToPath(new URL('../../examples/minimal.yaml', import.meta.url));

/** A file of the `temporal` CLI that names a server. */
function configurationFile(address: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'nodeferry-options-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'temporal.toml');
  writeFileSync(file, `[profile.default]\naddress = "${address}"\n`);
  return file;
}

describe('--address', () => {
  const TEMPORAL_CONFIG_FILE = '/nonexistent/temporal.toml';

  test.each([
    { position: 'after the command', args: ['status', 'prod/web', '--address', '127.0.0.1:1'] },
    { position: 'before it', args: ['--address', '127.0.0.1:1', 'status', 'prod/web'] },
  ])('overrides the environment when it is written $position', async ({ args }) => {
    const refused = await callCommandLine(args, { TEMPORAL_CONFIG_FILE, TEMPORAL_ADDRESS: '127.0.0.1:2' });

    expect(refused.code).toBe(69);
    expect(refused.stderr).toContain('127.0.0.1:1');
    expect(refused.stderr).not.toContain('127.0.0.1:2');
  });

  test('overrides the environment, which overrides the file', async () => {
    const file = { TEMPORAL_CONFIG_FILE: configurationFile('127.0.0.1:3') };

    vi.stubEnv('TEMPORAL_ADDRESS', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());

    const both = { ...file, TEMPORAL_ADDRESS: '127.0.0.1:2' };

    const byFile = await callCommandLine(['list'], file);
    const byEnvironment = await callCommandLine(['list'], both);
    const byOption = await callCommandLine(['list', '--address', '127.0.0.1:1'], both);

    expect(byFile.stderr).toContain('127.0.0.1:3');
    expect(byEnvironment.stderr).toContain('127.0.0.1:2');
    expect(byOption.stderr).toContain('127.0.0.1:1');
  });
});

describe('--kubeconfig and --context', () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
  const kubeconfig = fileURLToPath(new URL('../support/kubeconfig.json', import.meta.url));

  test.each([
    { command: 'plan', args: ['plan', '-f', policy] },
    { command: 'cleanup', args: ['cleanup', 'prod/web', '--region', 'eu-west-1'] },
  ])('are used by $command', async ({ args }) => {
    const missing = await callCommandLine([...args, '--kubeconfig', '/nonexistent/file'], {
      ...env,
      KUBECONFIG: kubeconfig,
    });
    const unknown = await callCommandLine([...args, '--context', 'nowhere'], { ...env, KUBECONFIG: kubeconfig });

    expect(missing).toMatchObject({ code: 69, stderr: expect.stringContaining('/nonexistent/file cannot be read') });
    expect(unknown).toMatchObject({ code: 69, stderr: expect.stringContaining('no context nowhere') });
  });
});

test('a cleanup of another cluster than the kubeconfig leads to is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nodeferry-options-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const name = 'arn:aws:eks:eu-west-1:111122223333:cluster/prod-b';
  const file = join(folder, 'config');
  const clusters = [{ name, cluster: { server: 'https://127.0.0.1:1' } }];
  const contexts = [{ name: 'b', context: { cluster: name, user: 'ann' } }];
  writeFileSync(
    file,
    JSON.stringify({ clusters, contexts, users: [{ name: 'ann', user: {} }], 'current-context': 'b' }),
  );
  const cleanUp = async (...args: readonly string[]) =>
    await callCommandLine(['cleanup', ...args, '--kubeconfig', file, '--provider', 'eks', '--yes']);

  const other = await cleanUp('prod-a/web');
  const elsewhere = await cleanUp('prod-b/web', '--region', 'us-east-1');

  const leadsTo = 'The kubeconfig leads to cluster prod-b in eu-west-1, not to';
  expect(other).toMatchObject({ code: 64, stderr: expect.stringContaining(`${leadsTo} prod-a.`) });
  expect(elsewhere).toMatchObject({ code: 64, stderr: expect.stringContaining(`${leadsTo} prod-b in us-east-1.`) });
});

describe('help', () => {
  test.each(['status', 'upgrade', 'list', 'cleanup', 'doctor'])(
    'of %s shows the options of the server',
    async (command) => {
      const { stdout } = await callCommandLine([command, '--help']);

      expect(stdout).toContain('--address <address>');
      expect(stdout).toContain('--namespace <namespace>');
    },
  );

  test.each(['validate', 'plan', 'completion'])('of %s, which needs no server, does not', async (command) => {
    expect((await callCommandLine([command, '--help'])).stdout).not.toContain('--address');
  });

  test.each(['plan', 'upgrade', 'cleanup', 'doctor'])('of %s shows the options of the cluster', async (command) => {
    expect((await callCommandLine([command, '--help'])).stdout).toContain('--context <context>');
  });
});
