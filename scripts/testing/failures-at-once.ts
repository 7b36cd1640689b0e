import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase } from 'vitest/node';

/** Lines of a failure that are shown at once; all of it comes at the end. */
const maxLines = 40;

/** A reporter of vitest: it says why a test has failed as soon as it has, where the other tests go on for hours. */
export default class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== 'failed') return;
    const reasons = result.errors.map(({ message, stacks }) => {
      const [first] = stacks ?? [];
      const place = first === undefined ? '' : `\n  at ${first.file}:${first.line}`;
      return `${stripVTControlCharacters(message).split('\n').slice(0, maxLines).join('\n')}${place}`;
    });
    process.stdout.write(`failed: ${test.fullName}\n${reasons.join('\n')}\n`);
  }
}
