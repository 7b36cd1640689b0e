import { Option } from 'commander';

/** The `--run` option of every command that shows one run. */
export function runOption(): Option {
  return new Option('--run <id>', 'a run by its ID, also one that has ended: see nodeferry list --all');
}
