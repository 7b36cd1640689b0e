import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { callCommandLine } from '../../support/command-line.ts';

const nobody = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

/** Runs the command; the file that it names with `-f` is called `POLICY` in its arguments. */
async function schedule(args: readonly string[], input = '') {
  const folder = mkdtempSync(join(tmpdir(), 'nodeferry-schedule-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, input);
  return await callCommandLine(['schedule', ...args.map((arg) => (arg === 'POLICY' ? file : arg))], nobody);
}

function policy(schedule?: object): string {
  return stringify({
    apiVersion: 'nodeferry.dev/v1alpha1',
    kind: 'PoolUpgrade',
    metadata: { name: 'web' },
    spec: {
      cluster: { name: 'prod', region: 'eu-west-1' },
      pool: { name: 'web' },
      target: { version: '1.36' },
      ...(schedule === undefined ? {} : { schedule }),
    },
  });
}

const nightly = { timeZone: 'UTC', windows: [{ start: '22:00', end: '04:00' }] };

describe('nodeferry schedule', () => {
  test.each(['create', 'apply', 'list', 'describe', 'pause', 'resume', 'trigger', 'delete'])(
    'shows an example in the help of %s',
    async (command) => {
      const help = await schedule([command, '--help']);

      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toMatch(new RegExp(`Examples?:\n  \\$ nodeferry schedule ${command}`));
    },
  );

  test.each([
    { name: 'a command that does not exist', args: ['remove', 'prod/web'], says: /unknown command 'remove'/ },
    { name: 'a pool without its cluster', args: ['describe', 'web'], says: /CLUSTER\/POOL/ },
    { name: 'a pause without a reason', args: ['pause', 'prod/web'], says: /required option '--reason <text>'/ },
    { name: 'a resume without a reason', args: ['resume', 'prod/web'], says: /required option '--reason <text>'/ },
    { name: 'a creation without a policy', args: ['create'], says: /required option '-f, --file <policy>'/ },
    { name: 'a deletion that nobody can confirm', args: ['delete', 'prod/web'], says: /--yes/ },
    { name: 'a policy without upgrade windows', args: ['create', '-f', 'POLICY'], says: /has no spec\.schedule/ },
    {
      name: 'to apply a policy without upgrade windows',
      args: ['apply', '-f', 'POLICY'],
      says: /has no spec\.schedule/,
    },
  ])('refuses $name with exit code 64', async ({ args, says }) => {
    const refused = await schedule(args, policy());

    expect(refused).toMatchObject({ code: 64, stdout: '' });
    expect(refused.stderr).toMatch(says);
  });

  test('refuses a time zone that does not exist before it asks Temporal anything', async () => {
    const refused = await schedule(['create', '-f', 'POLICY'], policy({ ...nightly, timeZone: 'Europe/Berlinn' }));

    expect(refused).toMatchObject({ code: 64, stdout: '' });
    expect(refused.stderr).toContain('Europe/Berlinn');
  });

  test.each([
    ['create', '-f', 'POLICY'],
    ['apply', '-f', 'POLICY', '--dry-run'],
    ['list'],
    ['describe', 'prod/web'],
    ['pause', 'prod/web', '--reason', 'x'],
    ['resume', 'prod/web', '--reason', 'x'],
    ['trigger', 'prod/web'],
    ['delete', 'prod/web', '--yes'],
  ])('says with exit code 69 that %s reaches no Temporal', async (...args) => {
    const refused = await schedule(args, policy(nightly));

    expect(refused).toMatchObject({ code: 69, stdout: '', stderr: expect.stringContaining('nothing listens there') });
  });
});
