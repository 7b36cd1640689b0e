import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Argument, Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { bashScript } from '../../client/completion/bash.ts';
import { readCommands } from '../../client/completion/command-tree.ts';
import { fishScript } from '../../client/completion/fish.ts';
import { zshScript } from '../../client/completion/zsh.ts';
import { packagesLoadedBy } from '../support/loaded-modules.ts';

const main = fileURLToPath(new URL('../../client/main.ts', import.meta.url));

function run(command: string, args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', input });
  return { status, stdout, stderr };
}

/** A program with everything that completion distinguishes. */
function aProgram(): Command {
  const program = new Command('nodeferry');
  const schedule = program.command('schedule').description("the pool's schedule");
  schedule.command('create').option('-f, --file <policy>', 'policy file').option('--paused', 'create it paused');
  program
    .command('status')
    .description('show the status')
    .argument('<cluster/pool>')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['table', 'json']))
    .option('--reason <text>', 'why');
  program.command('upgrade').argument('[plan]');
  program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));
  return program;
}

/** What bash would offer for the last word. */
function complete(...words: readonly string[]): readonly string[] {
  const line = `${bashScript(readCommands(aProgram()))}
COMP_WORDS=(nodeferry ${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_nodeferry
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run('bash', [], line)
    .stdout.split('\n')
    .filter((word) => word !== '');
}

describe('the completion of bash', () => {
  test.each([
    { words: [''], offers: ['schedule', 'status', 'upgrade', 'completion', 'help'] },
    { words: ['s'], offers: ['schedule', 'status'] },
    { words: ['schedule', ''], offers: ['create', 'help'] },
    { words: ['schedule', 'create', '--'], offers: ['--file', '--paused', '--help'] },
    { words: ['status', '-'], offers: ['-o', '--output', '--reason', '-h', '--help'] },
    { words: ['status', '-o', ''], offers: ['table', 'json'] },
    { words: ['status', 'prod/web', '--output', 'j'], offers: ['json'] },
    { words: ['status', '--reason', ''], offers: [] },
    { words: ['completion', 'b'], offers: ['bash'] },
    { words: ['status', '$(touch /tmp/never)', ''], offers: [] },
  ])('offers $offers after $words', ({ words, offers }) => {
    expect(complete(...words)).toEqual(offers);
  });
});

describe('completion', () => {
  const { stdout: help } = run(process.execPath, [main, '--help']);
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = '']) => name);

  test.each(['bash', 'zsh', 'fish'] as const)('names every command in the script of %s', (shell) => {
    const { status, stdout } = run(process.execPath, [main, 'completion', shell]);

    expect(status).toBe(0);
    expect(commands).toContain('upgrade');
    expect(commands.filter((name) => !new RegExp(`\\b${name}\\b`).test(stdout))).toEqual([]);
  });

  test('prints a script that bash can read', () => {
    const { stdout } = run(process.execPath, [main, 'completion', 'bash']);

    expect(run('bash', ['-n'], stdout)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test.each([
    ['zsh', zshScript],
    ['fish', fishScript],
  ])('prints a script that %s can read, where it is installed', (shell, scriptOf) => {
    const script = scriptOf(readCommands(aProgram()));

    expect(script).toContain('schedule create');
    if (run(shell, ['--version']).status === 0) expect(run(shell, ['-n'], script)).toMatchObject({ status: 0 });
  });

  test('refuses another shell', () => {
    expect(run(process.execPath, [main, 'completion', 'tcsh'])).toMatchObject({
      status: 64,
      stdout: '',
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });

  test('loads nothing of Temporal, Kubernetes or a cloud', () => {
    const packages = packagesLoadedBy(['completion', 'bash']);

    expect(packages.filter((name) => /temporalio|kubernetes|aws|smithy|grpc/.test(name))).toEqual([]);
  });
});
