import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { operatorName } from '../../client/connect.ts';
import { callCommandLine, runCommandLine } from '../support/command-line.ts';

const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));

/** Upgrades by the policy on the standard input. */
async function upgradeBy(policy: string) {
  return await runCommandLine(['upgrade', '-f', '-'], { input: policy, env: { NO_COLOR: '1' } });
}

describe('the command line', () => {
  test('ends as it would have when nobody reads its messages any more', () => {
    const call = `"${process.execPath}" "${main}" status prod/web --address 127.0.0.1:1; echo "exit code $?" >&3`;
    const { stdout } = spawnSync('sh', ['-c', `exec 3>&1; { ${call}; } 2>&1 | :`], { encoding: 'utf8' });
    expect(stdout).toBe('exit code 69\n');
  });

  test('takes a node after --dry-run for a node, as kubectl does, and a mode for a mode', async () => {
    const kubeconfig = fileURLToPath(new URL('../support/kubeconfig.json', import.meta.url));
    const drain = async (...args: readonly string[]) =>
      await callCommandLine(['drain', ...args, '--kubeconfig', kubeconfig, '--context', 'nowhere']);

    expect((await drain('--dry-run', 'n1')).stderr).toContain('no context nowhere');
    expect((await drain('--dry-run', 'client', 'n1')).stderr).toContain('no context nowhere');
  });

  test('teaches its commands and exit codes on stdout', async () => {
    const help = await callCommandLine(['--help']);

    expect(help.code).toBe(0);
    expect(help.stdout).toContain('upgrade');
    expect(help.stdout).toContain('Exit codes:');
    expect(help.stderr).toBe('');
  });

  test.each([
    'plan',
    'upgrade',
    'drain',
    'status',
    'watch',
    'report',
    'pause',
    'resume',
    'retry',
    'skip',
    'abort',
    'rollback',
    'worker',
    'dev',
  ])('shows an example in the help of %s', async (command) => {
    expect((await callCommandLine([command, '--help'])).stdout).toMatch(/Examples?:/);
  });

  test.each([
    { name: 'an unknown command', args: ['upgrde'], says: /unknown command 'upgrde'/ },
    { name: 'a missing argument', args: ['status'], says: /missing required argument 'cluster\/pool'/ },
    { name: 'a target without a slash', args: ['status', 'web'], says: /CLUSTER\/POOL/ },
    {
      name: 'an unknown output format',
      args: ['status', 'a/b', '-o', 'xml'],
      says: /Allowed choices are table, json, yaml/,
    },
    {
      name: 'a retry without a node',
      args: ['retry', 'a/b'],
      says: /required option '--node <name>' not specified/,
    },
    {
      name: 'a skip without a reason',
      args: ['skip', 'a/b', '--node', 'n1'],
      says: /required option '--reason <text>' not specified/,
    },
    {
      name: 'an audit of the whole cluster and of one pool of it',
      args: ['audit', '--cluster', '--pool', 'web'],
      says: /'--cluster \[name\]' cannot be used with option '--pool <name>'/,
    },
    {
      name: 'a report as data and as a document at once',
      args: ['report', 'a/b', '-o', 'json', '--format', 'html'],
      says: /'--format <format>' cannot be used with option '-o, --output <format>'/,
    },
    {
      name: 'a file for a report whose name says no format',
      args: ['report', 'a/b', '--out', 'report.txt'],
      says: /report\.txt does not say in which format[^]*\.html, \.md or \.json/,
    },
    {
      name: 'a policy file that is not there',
      args: ['upgrade', '-f', 'no-such-file.yaml'],
      says: /no-such-file\.yaml can't be read/,
    },
  ])('refuses $name with exit code 64 and says how to fix it', async ({ args, says }) => {
    const refused = await callCommandLine(args);

    expect(refused.code).toBe(64);
    expect(refused.stderr).toMatch(says);
    expect(refused.stdout).toBe('');
  });

  test('prints its version for programs', async () => {
    const { stdout } = await callCommandLine(['version', '-o', 'json'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });

    expect(JSON.parse(stdout)).toMatchObject({
      version: expect.any(String),
      problem: { message: expect.stringContaining('nothing listens there') },
    });
  });

  test('says in a sentence that Node.js is too old', () => {
    const older = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`;
    const refused = spawnSync(process.execPath, ['--import', `data:text/javascript,${older}`, main, 'version'], {
      encoding: 'utf8',
    });

    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/^nodeferry needs Node\.js 22\.19 or later; this is v[\d.]+\.\n$/);
  });

  test.each(['180', '0s', 'soon'])('rejects --timeout %s, and says what it accepts', async (timeout) => {
    const refused = await callCommandLine(['watch', 'a/b', '--timeout', timeout]);

    expect(refused.code).toBe(64);
    expect(refused.stderr).toContain('for example 30m or 2h');
  });

  test('names file, line and field of a bad policy and starts nothing', async () => {
    const policy =
      'apiVersion: nodeferry.dev/v1alpha1\nkind: PoolUpgrade\nmetadata: { name: web }\nspec:\n  pool: { provider: eks }\n';

    const refused = await upgradeBy(policy);

    expect(refused.code).toBe(64);
    expect(refused.stderr).toMatch(/<stdin>:5:\d+ spec\.pool/);
    expect(refused.stderr).toMatch(/spec\.cluster/);
  });

  test.each([
    'a: *nothing\n',
    `a: &a [${'x, '.repeat(99)}x]\nb: &b [${'*a, '.repeat(99)}*a]\nc: [${'*b, '.repeat(999)}*b]\n`,
  ])('rejects a policy that is made to break its parser like any other', async (policy) => {
    const refused = await upgradeBy(policy);

    expect(refused.code).toBe(64);
    expect(refused.stderr).toMatch(/^error InvalidPolicy: a problem in the policy\n {2}<stdin>:\d+:\d+: /);
    expect(refused.stderr).not.toContain('    at ');
  });

  test('starts no upgrade from a policy without asking, and says how to go on where nobody can be asked', async () => {
    const policy =
      'apiVersion: nodeferry.dev/v1alpha1\nkind: PoolUpgrade\nmetadata: { name: web }\nspec:\n' +
      '  cluster: { name: prod, region: eu-west-1 }\n  pool: { name: web }\n  target: { version: "1.36" }\n';

    const refused = await upgradeBy(policy);

    expect(refused.code).toBe(64);
    expect(refused.stderr).toContain('Nothing was started');
    expect(refused.stderr).toContain('--yes');
  });

  test.each([[[]], [['plan.json', '-f', 'policy.yaml']]])(
    'needs either a policy or a saved plan for an upgrade (%j)',
    async (args) => {
      const refused = await callCommandLine(['upgrade', ...args]);

      expect(refused.code).toBe(64);
      expect(refused.stderr).toContain('Either a policy or a saved plan is needed');
    },
  );

  test('says that no Temporal server answers, with exit code 69', async () => {
    const refused = await callCommandLine(['status', 'prod/web'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });

    expect(refused.code).toBe(69);
    expect(refused.stderr).toContain('127.0.0.1:1');
    expect(refused.stderr).toContain('TEMPORAL_ADDRESS');
  });
});

test('who gives a command has a name also where the user ID has none', () => {
  const noName = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(operatorName({}, noName)).toMatch(/^uid-\d+@./);
  expect(operatorName({ NODEFERRY_USER: 'ann' }, noName)).toBe('ann');
});
