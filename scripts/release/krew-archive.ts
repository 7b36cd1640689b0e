import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectRoot } from '../setup/sources.ts';
import { run } from './commands.ts';

/** The archive of the kubectl plugin. */
interface KrewArchive {
  readonly path: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What a plugin has no use for. Only workers need it, and the native code in it exists for some platforms only. */
const workerFolders = ['dist/worker', 'dist/activities', 'dist/build'];
const workerPackages = ['@temporalio/worker', '@temporalio/activity'];

/**
 * Makes the archive of the kubectl plugin from the package that npm has packed: with the packages that it depends on, without the worker. What
 * remains is JavaScript, so it is one archive for all platforms. Packages come from npm's cache as far as they are in it.
 */
export function buildKrewArchive(npmPackage: string, path: string): KrewArchive {
  const folder = mkdtempSync(join(tmpdir(), 'nodeferry-krew-'));
  try {
    run('tar', ['-xzf', npmPackage, '--strip-components=1', '-C', folder]);
    leaveOutWorker(folder);
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    run('npm', ['install', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-bin-links', ...quiet], folder);
    removeTypes(join(folder, 'node_modules'));
    // Called under this name, the command names itself as kubectl does.
    copyFileSync(join(folder, 'bin', 'nodeferry.cjs'), join(folder, 'bin', 'kubectl-nodeferry.cjs'));
    copyFileSync(join(projectRoot, 'deploy', 'krew', 'kubectl-nodeferry'), join(folder, 'kubectl-nodeferry'));
    chmodSync(join(folder, 'kubectl-nodeferry'), 0o755);
    compress(folder, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') };
}

function leaveOutWorker(folder: string): void {
  for (const name of workerFolders) rmSync(join(folder, name), { recursive: true });
  const manifest = join(folder, 'package.json');
  const { dependencies, scripts: _scripts, devDependencies: _dev, ...rest } = readJson(manifest);
  const needed = Object.entries(dependencies ?? {}).filter(([name]) => !workerPackages.includes(name));
  writeFileSync(manifest, `${JSON.stringify({ ...rest, dependencies: Object.fromEntries(needed) }, null, 2)}\n`);
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: unknown;
  readonly devDependencies?: unknown;
}

function readJson(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

/** Types and source maps are half of what packages contain, and nothing reads them when they run. */
function removeTypes(packages: string): void {
  for (const path of globSync('**/*.{ts,mts,cts,map}', { cwd: packages }))
    rmSync(join(packages, path), { force: true });
}

/** The same files give the same archive, whoever makes it and when. */
function compress(folder: string, path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  const anybody = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+w,go=rX'];
  run('tar', ['-I', 'gzip -n -9', '-cf', path, ...anybody, '-C', folder, '.']);
}
