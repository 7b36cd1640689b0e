import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { packWithNpm, run } from '../../scripts/release/commands.ts';
import { projectRoot } from '../../scripts/setup/sources.ts';
import { trackedFiles } from '../../scripts/tracked-files.ts';

/** Only these may be in the environment: nothing of this machine's own settings reaches the command. */
const plainEnvironment = { PATH: process.env['PATH'], HOME: '/nonexistent', NO_COLOR: '1' };

/** The package, installed from its archive as users do, into a folder that nobody may write to. */
export interface InstalledPackage {
  /** Folder that contains the installation. */
  readonly folder: string;
  /** Folder of the package's own files. */
  readonly root: string;
  /** Path of one of its commands. */
  command(name: string): string;
  /** Paths of the package's own files, relative to it, sorted. */
  readonly files: readonly string[];
  /** What has been written to the installation since it was made. */
  changes(): readonly string[];
  remove(): void;
}

/** Packs this checkout's sources and installs the archive. Packages come from npm's cache as far as they are in it. */
export function installPackage(): InstalledPackage {
  const scratch = mkdtempSync(join(tmpdir(), 'nodeferry-package-'));
  const archive = packWithNpm(copyCheckout(join(scratch, 'checkout')), scratch);
  const folder = join(scratch, 'prefix');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', '--global', `--prefix=${folder}`, '--prefer-offline', '--ignore-scripts', ...quiet, archive]);
  execFileSync('chmod', ['-R', 'a-w', folder]);
  const root = join(folder, 'lib', 'node_modules', 'nodeferry');
  const before = stateOf(folder);
  return {
    folder,
    root,
    command: (name) => join(folder, 'bin', name),
    files: globSync('**/*', { cwd: root, exclude: ['node_modules'] }).toSorted(),
    changes: () => {
      const after = stateOf(folder);
      return [...before.keys(), ...after.keys()].filter((path) => before.get(path) !== after.get(path));
    },
    remove: () => {
      execFileSync('chmod', ['-R', 'u+w', folder]);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** What a command of an installation said. */
interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command where no cache can be written and no settings are. */
export function runInstalled(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): CommandResult {
  const nowhere = { TMPDIR: '/dev/null/nowhere', ...env };
  return spawnSync(command, args, { env: { ...plainEnvironment, ...nowhere }, encoding: 'utf8', input: '' });
}

/** A checkout to build in: nobody else runs `dist/` of it, and npm leaves the real one as it is. */
export function copyCheckout(checkout: string): string {
  for (const path of trackedFiles().filter((name) => !/^(?:lab|test)\/(?!README\.md$)/.test(name))) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    cpSync(join(projectRoot, path), join(checkout, path));
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

function stateOf(folder: string): ReadonlyMap<string, string> {
  const paths = globSync('**/*', { cwd: folder });
  return new Map(
    paths.map((path) => {
      const { mtimeMs, size } = lstatSync(join(folder, path));
      return [path, `${mtimeMs} ${size}`];
    }),
  );
}
