import { createRequire } from 'node:module';
import { legible } from './style.ts';

/** Formats of all commands that print data. */
export const outputFormats = ['table', 'json', 'yaml'] as const;
/** One of the output formats. */
export type OutputFormat = (typeof outputFormats)[number];

/** Prints data on stdout: the table for people, or the whole value for programs. */
export function printData(format: OutputFormat, value: unknown, table: () => string): void {
  switch (format) {
    case 'table':
      process.stdout.write(legible(`${table()}\n`));
      return;
    case 'json':
      process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
      return;
    case 'yaml':
      process.stdout.write(toYaml(value));
  }
}

/** The library is loaded only where it is used: most commands print a table. */
function toYaml(value: unknown): string {
  const { stringify } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  return stringify(value);
}

/** Prints progress and hints on stderr, so that stdout stays data. */
export function printProgress(text: string): void {
  process.stderr.write(legible(`${text}\n`));
}
