import type { Command } from 'commander';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';

/** Adds the commands that need no server, no cluster and no cloud. */
export function addOffline(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('validate')
    .description('check policies, without any server; changes nothing')
    .requiredOption('-f, --file <policy...>', 'policy file, - for standard input; may be given several times')
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nExit code 64 if any policy has problems. What depends on the cluster is checked by: nodeferry plan' +
        '\n\nExamples:\n  $ nodeferry validate -f policy.yaml\n  $ nodeferry validate -f policies/*.yaml' +
        '\n  $ nodeferry validate -f policy.yaml -o json | jq .[].problems',
    )
    .action(async (options: { file: string[]; output: OutputFormat }) => {
      const { validateCommand } = await import('./commands/validate.ts');
      finish(validateCommand(options.file, options));
    });
}
