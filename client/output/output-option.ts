import { Option } from 'commander';
import { outputFormats } from './print.ts';

/** The `-o` option of every command that prints data. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print data').choices([...outputFormats]).default('table');
}
