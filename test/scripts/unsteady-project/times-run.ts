import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How often it has been called with that name, this time included, by whatever process of the test. */
export function timesRun(name: string): number {
  const path = join(process.env['NODEFERRY_FIXTURE_STATE'] ?? '', name);
  appendFileSync(path, '.');
  return readFileSync(path, 'utf8').length;
}
