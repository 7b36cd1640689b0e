import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** File for the number of errors that were thrown outside every test. */
export const unhandledFileVariable = 'NODEFERRY_UNHANDLED_ERRORS';

/** A reporter of vitest: its JSON report does not contain errors that no test has caught, although the run fails because of them. */
export default class UnhandledErrors implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    const path = process.env[unhandledFileVariable];
    if (path !== undefined) writeFileSync(path, String(errors.length));
  }
}
