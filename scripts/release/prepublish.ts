import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readVersion } from '../../adapters/package/version.ts';
import { projectRoot } from '../setup/sources.ts';
import { findObstacles } from './obstacles.ts';

// npm runs this before it publishes.
const obstacles = findObstacles({
  version: readVersion(),
  tags: git('tag', '--points-at', 'HEAD'),
  changed: git('status', '--porcelain').map((line) => line.slice(3)),
  changelog: readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8'),
});
for (const obstacle of obstacles) console.error(`not published: ${obstacle}`);
if (obstacles.length > 0) process.exitCode = 1;

/** Lines that git prints. */
function git(...args: readonly string[]): string[] {
  const output = execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}
