import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from './setup/sources.ts';

/** Paths of all files that git tracks or would add, relative to the project's root, sorted; without those deleted since. */
export function trackedFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const output = execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  const paths = new Set(output.split('\0').filter((path) => path !== ''));
  return [...paths].filter((path) => existsSync(join(projectRoot, path))).sort();
}
