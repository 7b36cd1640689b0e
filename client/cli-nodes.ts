import type { Command } from 'commander';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { parseRunTarget } from './run-target.ts';

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
      '\nAll stalled steps at once: nodeferry resume.' +
        '\n\nExample:\n  $ nodeferry retry prod-eu/web --node ip-10-0-0-3 --reason "the budget allows it now"',
    )
    .action(async (target: string, options: NodeFlags) => {
      const { controlCommand } = await import('./commands/control.ts');
      finish(await controlCommand('retry', parseRunTarget(target), options));
    });
}
