import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { projectRoot } from '../setup/sources.ts';
import { generatedFiles } from './schemas.ts';

/** `npm run gen` writes the generated files; with `--check` it writes nothing and fails when one is stale. */
const check = process.argv.includes('--check');

for (const [path, text] of generatedFiles()) {
  const file = join(projectRoot, path);
  if (!check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(path);
  } else if (read(file) !== text) {
    console.error(`${path} is stale: run npm run gen`);
    process.exitCode = 1;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
