import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../setup/sources.ts';
import { trackedFiles } from '../tracked-files.ts';
import { findOversized } from './find-oversized.ts';

/** `npm run check:sizes` fails where a file is too long to be read in one go. */
const oversized = findOversized(
  trackedFiles(),
  (path) => readFileSync(join(projectRoot, path), 'utf8').split('\n').length - 1,
);
for (const { path, lines, max } of oversized) console.log(`${path}: ${lines} lines, ${max} at most`);
if (oversized.length > 0) process.exitCode = 1;
