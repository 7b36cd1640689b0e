import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../setup/sources.ts';
import { type LockFile, runtimeLock } from './runtime-lock.ts';

/** The lock file that a published package may contain; npm ignores package-lock.json there. It is in the checkout only while npm packs. */
const shrinkwrap = join(projectRoot, 'npm-shrinkwrap.json');

/** Pins the versions of all packages for whoever installs this one: those that the tests ran with. */
export function writeShrinkwrap(): void {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as LockFile;
  writeFileSync(shrinkwrap, `${JSON.stringify(runtimeLock(lock), null, 2)}\n`);
}

/** Removes it: `npm ci` would prefer it to package-lock.json. */
export function removeShrinkwrap(): void {
  rmSync(shrinkwrap, { force: true });
}
