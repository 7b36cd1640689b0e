import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Where the number of errors goes that were thrown outside of every test. */
export const unhandledFileVariable = 'NODEFERRY_UNHANDLED_ERRORS';

/** A reporter of vitest: its JSON report does not tell of errors that no test has caught, although the run fails with them. */
export default class UnhandledErrors implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    const path = process.env[unhandledFileVariable];
    if (path !== undefined) writeFileSync(path, String(errors.length));
  }
}
