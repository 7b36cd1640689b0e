import type { Command } from 'commander';
import type { ExitCode } from '../output/exit-codes.ts';
import { outputOption } from '../output/output-option.ts';
import type { OutputFormat } from '../output/print.ts';
import { parseRunTarget } from '../run-target.ts';
import { wrapHelp } from '../wrap-help.ts';

type Finish = (code: ExitCode) => void;

const poolArgument = ['<cluster/pool>', 'the pool, as in the policy'] as const;
const fileOption = ['-f, --file <policy>', 'policy file with spec.schedule, - for standard input'] as const;

/** Adds `nodeferry schedule` and its commands. */
export function addSchedule(program: Command, finish: Finish): void {
  const schedule = program
    .command('schedule')
    .description('have upgrades started when their upgrade windows open')
    .addHelpText(
      'after',
      wrapHelp(
        '\nThe windows are spec.schedule of the policy. Temporal starts the upgrades; a worker has to run when a window opens.' +
          '\n\nExamples:\n  $ nodeferry schedule apply -f policy.yaml\n  $ nodeferry schedule describe prod-eu/web' +
          '\n  $ nodeferry schedule pause prod-eu/web --reason "release week"',
      ),
    );
  addWriting(schedule, finish);
  addReading(schedule, finish);
  addPausing(schedule, finish);
  addEnding(schedule, finish);
}

function addWriting(schedule: Command, finish: Finish): void {
  schedule
    .command('create')
    .description('create the schedule of a pool')
    .requiredOption(...fileOption)
    .option('--paused', 'create it paused: it starts nothing until it is resumed', false)
    .option('--reason <text>', 'why; kept as the note of the schedule', '')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nExamples:\n  $ nodeferry schedule create -f policy.yaml' +
          '\n  $ nodeferry schedule create -f policy.yaml --paused --reason "not before the release"',
      ),
    )
    .action(async (options: { file: string; paused: boolean; reason: string; output: OutputFormat }) => {
      const { createScheduleCommand } = await import('../commands/schedule/create.ts');
      finish(await createScheduleCommand(options));
    });
  schedule
    .command('apply')
    .description('create the schedule of a pool, or update it to the policy; for policies in Git')
    .requiredOption(...fileOption)
    .option('--dry-run', 'show what would change; change nothing', false)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nApplying the same policy again changes nothing. A paused schedule stays paused, and an upgrade that is under way keeps its policy.' +
          '\n\nExamples:\n  $ nodeferry schedule apply -f policy.yaml --dry-run\n  $ nodeferry schedule apply -f policy.yaml -o json | jq .differences',
      ),
    )
    .action(async (options: { file: string; dryRun: boolean; output: OutputFormat }) => {
      const { applyScheduleCommand } = await import('../commands/schedule/apply.ts');
      finish(await applyScheduleCommand(options));
    });
}

function addReading(schedule: Command, finish: Finish): void {
  schedule
    .command('list')
    .description('show all schedules, one line each')
    .option('--cluster <name>', 'only those of this cluster')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nA schedule appears a moment after its creation.\n\nExamples:\n  $ nodeferry schedule list --cluster prod-eu' +
          "\n  $ nodeferry schedule list -o json | jq -r '.[] | select(.paused) | .pool'",
      ),
    )
    .action(async ({ cluster, output }: { cluster?: string; output: OutputFormat }) => {
      const { listSchedulesCommand } = await import('../commands/schedule/show.ts');
      finish(await listSchedulesCommand({ cluster, output }));
    });
  schedule
    .command('describe')
    .description('show a schedule: its windows, the next openings, the last launches and the upgrade under way')
    .argument(...poolArgument)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nExit code 3 when it is paused.\n\nExamples:\n  $ nodeferry schedule describe prod-eu/web' +
          '\n  $ nodeferry schedule describe prod-eu/web -o json | jq .openings.next',
      ),
    )
    .action(async (target: string, options: { output: OutputFormat }) => {
      const { describeScheduleCommand } = await import('../commands/schedule/show.ts');
      finish(await describeScheduleCommand(parseRunTarget(target), options));
    });
}

function addPausing(schedule: Command, finish: Finish): void {
  schedule
    .command('pause')
    .description('start no further upgrade; one that is under way continues')
    .argument(...poolArgument)
    .requiredOption('--reason <text>', 'why; kept as the note of the schedule')
    .addOption(outputOption())
    .addHelpText('after', wrapHelp('\nExample:\n  $ nodeferry schedule pause prod-eu/web --reason "release week"'))
    .action(async (target: string, options: { reason: string; output: OutputFormat }) => {
      const { pauseScheduleCommand } = await import('../commands/schedule/control.ts');
      finish(await pauseScheduleCommand(parseRunTarget(target), options));
    });
  schedule
    .command('resume')
    .description('end the pause of a schedule, also of one that was paused because an upgrade failed')
    .argument(...poolArgument)
    .requiredOption('--reason <text>', 'why; kept as the note of the schedule')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp('\nExample:\n  $ nodeferry schedule resume prod-eu/web --reason "the image is fixed"'),
    )
    .action(async (target: string, options: { reason: string; output: OutputFormat }) => {
      const { resumeScheduleCommand } = await import('../commands/schedule/control.ts');
      finish(await resumeScheduleCommand(parseRunTarget(target), options));
    });
}

function addEnding(schedule: Command, finish: Finish): void {
  schedule
    .command('trigger')
    .description('start the upgrade of a schedule now, unless one is under way')
    .argument(...poolArgument)
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nThe upgrade still waits for its upgrade windows before it replaces nodes: see nodeferry override-window --help.' +
          '\nA schedule that is paused can be triggered too, and stays paused.' +
          '\n\nExample:\n  $ nodeferry schedule trigger prod-eu/web',
      ),
    )
    .action(async (target: string, options: { output: OutputFormat }) => {
      const { triggerScheduleCommand } = await import('../commands/schedule/trigger.ts');
      finish(await triggerScheduleCommand(parseRunTarget(target), options));
    });
  schedule
    .command('delete')
    .description('delete a schedule; an upgrade that is under way continues')
    .argument(...poolArgument)
    .option('--yes', 'do not ask; required without a terminal', false)
    .addOption(outputOption())
    .addHelpText('after', wrapHelp('\nExample:\n  $ nodeferry schedule delete prod-eu/web --yes'))
    .action(async (target: string, options: { yes: boolean; output: OutputFormat }) => {
      const { deleteScheduleCommand } = await import('../commands/schedule/control.ts');
      finish(await deleteScheduleCommand(parseRunTarget(target), options));
    });
}
