import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../core/policy/durations.ts';
import type { EventsOptions } from './commands/events.ts';
import type { ExitCode } from './output/exit-codes.ts';
import { lineOutputOption, outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { runOption } from './output/run-option.ts';
import type { DocumentFormat } from './report/document-formats.ts';
import { parseNamedRun } from './run-target.ts';
import { wrapHelp } from './wrap-help.ts';

/** Options of `watch`, as commander parses them. */
interface WatchFlags {
  readonly run?: string;
  readonly output: 'table' | 'json';
  readonly untilStalled: boolean;
  readonly timeout?: number;
}

/** Options of `report`, as commander parses them. */
interface ReportFlags {
  readonly run?: string;
  readonly output: OutputFormat;
  readonly format?: DocumentFormat;
  readonly out?: string;
}

/** Adds the commands that show one run, and how it goes on. */
export function addWatching(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('status')
    .description('show the status of a run, once')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .addOption(runOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nExamples:\n  $ nodeferry status prod-eu/web\n  $ nodeferry status prod-eu/web -o json | jq .nodes[].waiting',
      ),
    )
    .action(async (target: string, options: { output: OutputFormat; run?: string }) => {
      const { statusCommand } = await import('./commands/status.ts');
      finish(await statusCommand(parseNamedRun(target, options.run), options));
    });
  program
    .command('watch')
    .description('follow a run until it ends')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .option('--until-stalled', 'end with exit code 3 as soon as an operator is needed', false)
    .option('--timeout <duration>', 'stop watching after this long, e.g. 30m (exit code 124)', parseTimeout)
    .addOption(runOption())
    .addOption(lineOutputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nCtrl-C detaches; the run continues. In JSON every line is one object: schemas/watch-line.schema.json' +
          '\n\nExamples:\n  $ nodeferry watch prod-eu/web\n  $ nodeferry watch prod-eu/web --until-stalled --timeout 2h   # in a pipeline' +
          `\n  $ nodeferry watch prod-eu/web -o json | jq -r 'select(.type == "change") | .text'`,
      ),
    )
    .action(async (target: string, options: WatchFlags) => {
      const { watchCommand } = await import('./commands/watch.ts');
      const { output, untilStalled, timeout: timeoutMs } = options;
      finish(
        await watchCommand(parseNamedRun(target, options.run), {
          output,
          asLines: output === 'json',
          untilStalled,
          timeoutMs,
        }),
      );
    });
  program
    .command('report')
    .description('show the report of a finished run, or write it as a document')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .addOption(runOption())
    .addOption(outputOption())
    .addOption(
      new Option('--format <format>', 'make it a document; --out tells the format too')
        .choices(['html', 'md', 'json'] satisfies DocumentFormat[])
        .conflicts('output'),
    )
    .addOption(new Option('--out <file>', 'write the document to a file; stdout without').conflicts('output'))
    .addHelpText(
      'after',
      wrapHelp(
        '\nExamples:\n  $ nodeferry report prod-eu/web\n  $ nodeferry report prod-eu/web --out report.html\n  $ nodeferry report prod-eu/web --run run-1a2b3c4d   # an earlier run: nodeferry list --all\n  $ nodeferry report prod-eu/web --format md   # for a change ticket\n  $ nodeferry report prod-eu/web -o json | jq .traffic',
      ),
    )
    .action(async (target: string, options: ReportFlags) => {
      const { reportCommand } = await import('./commands/report.ts');
      finish(await reportCommand(parseNamedRun(target, options.run), options));
    });
}

/** Adds the command that shows what has happened in a run. */
export function addEvents(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('events')
    .description('show what has happened in a run, oldest first')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .option('-f, --follow', 'go on until the run ends', false)
    .addOption(runOption())
    .addOption(lineOutputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nNeeds Temporal, but no worker. Times are UTC. With -f the exit code is that of the run; Ctrl-C detaches, and the run continues.' +
          '\nIn JSON every line is one event: schemas/run-event.schema.json' +
          '\n\nExamples:\n  $ nodeferry events prod-eu/web\n  $ nodeferry events prod-eu/web -f' +
          `\n  $ nodeferry events prod-eu/web -o json | jq -r 'select(.type == "stalled") | .problem.message'`,
      ),
    )
    .action(async (target: string, options: EventsOptions & { run?: string }) => {
      const { eventsCommand } = await import('./commands/events.ts');
      finish(await eventsCommand(parseNamedRun(target, options.run), options));
    });
}

function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0)
    throw new InvalidArgumentError('Give a duration with its unit, for example 30m or 2h.');
  return ms;
}
