import type { Command } from 'commander';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { parseRunTarget } from './run-target.ts';
import { wrapHelp } from './wrap-help.ts';

/** Options of the commands that concern one node, as commander parses them. */
interface NodeFlags {
  readonly node: string;
  readonly reason: string;
  readonly output: OutputFormat;
}

/** The commands that concern one node of a run. */
export function addNodeControls(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('retry')
    .description('retry the stalled step of one node; other stalled nodes wait')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .requiredOption('--node <name>', 'name of the node, as status shows it')
    .option('--reason <text>', 'why, for the audit trail', '')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nAll stalled steps at once: nodeferry resume.' +
          '\n\nExample:\n  $ nodeferry retry prod-eu/web --node ip-10-0-0-3 --reason "the budget allows it now"',
      ),
    )
    .action(async (target: string, options: NodeFlags) => {
      const { controlCommand } = await import('./commands/control.ts');
      finish(await controlCommand('retry', parseRunTarget(target), options));
    });
  program
    .command('skip')
    .description('do not replace one node; it is restored, and stays in the old pool')
    .argument('<cluster/pool>', 'the pool, as in the policy')
    .requiredOption('--node <name>', 'name of the node, as status shows it')
    .requiredOption('--reason <text>', 'why, for the audit trail')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nThe run goes on with the other nodes. At its end the old pool stays, with exactly the skipped nodes, and the new pool' +
          '\nhas as many nodes as were replaced. Refused once the instance of the node is being terminated.' +
          '\n\nExample:\n  $ nodeferry skip prod-eu/web --node ip-10-0-0-3 --reason "its batch job runs until tomorrow"',
      ),
    )
    .action(async (target: string, options: NodeFlags) => {
      const { controlCommand } = await import('./commands/control.ts');
      finish(await controlCommand('skip', parseRunTarget(target), options));
    });
}
