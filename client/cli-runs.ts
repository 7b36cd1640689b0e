import { type Command, InvalidArgumentError } from 'commander';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { wrapHelp } from './wrap-help.ts';

/** Options of `list`, as commander parses them. */
interface ListFlags {
  readonly all: boolean;
  readonly cluster?: string;
  readonly stalled: boolean;
  readonly limit: number;
  readonly output: OutputFormat;
}

/** Adds the commands that are about all runs. */
export function addRuns(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('list')
    .description('list the runs that are under way')
    .option('--all', 'also those that have ended, as long as Temporal keeps them', false)
    .option('--cluster <cluster>', 'only runs on this cluster')
    .option('--stalled', 'only runs that are stalled', false)
    .option('--limit <number>', 'the most runs that are listed', parseLimit, 100)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nNeeds Temporal, but no worker. A change reaches the list within a few seconds. Times are UTC.' +
          '\nRUN is the ID that --run of status, watch, report, explain and events takes.' +
          '\nSTATE is the phase of the run; paused, stalled or waiting for approval; or how it ended.' +
          '\n\nExamples:\n  $ nodeferry list\n  $ nodeferry list --all --cluster prod-eu --limit 20' +
          `\n  $ nodeferry list --stalled -o json | jq -r '.[] | .cluster + "/" + .pool'` +
          `\n  $ nodeferry list -o json | jq -r '.[] | select(.paused or .approval) | .cluster + "/" + .pool'`,
      ),
    )
    .action(async (options: ListFlags) => {
      const { listCommand } = await import('./commands/list.ts');
      finish(await listCommand(options));
    });
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw new InvalidArgumentError('Give a whole number from 1 to 10000.');
  return limit;
}
