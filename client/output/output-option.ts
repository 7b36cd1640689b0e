import { Option } from 'commander';
import { outputFormats } from './print.ts';

/** The `-o` option of every command that prints data. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print data').choices([...outputFormats]).default('table');
}

/** The `-o` option of commands that print line by line: in JSON, one object a line. */
export function lineOutputOption(): Option {
  return new Option('-o, --output <format>', 'how to print data; json: one object a line')
    .choices(['table', 'json'])
    .default('table');
}
