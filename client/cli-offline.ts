import type { Command } from 'commander';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { runOption } from './output/run-option.ts';
import { wrapHelp } from './wrap-help.ts';

/** Adds the commands that need no server, no cluster and no cloud; `explain` asks Temporal about a run only. */
export function addOffline(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('validate')
    .description('check policies, without any server; changes nothing')
    .requiredOption('-f, --file <policy...>', 'policy file, - for standard input; may be given several times')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nExit code 64 if any policy has problems. What depends on the cluster is checked by: nodeferry plan' +
          '\n\nExamples:\n  $ nodeferry validate -f policy.yaml\n  $ nodeferry validate -f policies/*.yaml' +
          '\n  $ nodeferry validate -f policy.yaml -o json | jq .[].problems',
      ),
    )
    .action(async (options: { file: string[]; output: OutputFormat }) => {
      const { validateCommand } = await import('./commands/validate.ts');
      finish(validateCommand(options.file, options));
    });
  program
    .command('explain')
    .description('explain a rule, a policy field, a problem code or an exit code; or why a run waits')
    .argument('<name>', 'RULE, FIELD, CODE, or CLUSTER/POOL for a run')
    .addOption(runOption())
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nNeeds no server, except for a run.' +
          '\n\nExamples:\n  $ nodeferry explain WKL-003\n  $ nodeferry explain spec.guard.minServing' +
          '\n  $ nodeferry explain LockHeld\n  $ nodeferry explain 69\n  $ nodeferry explain prod-eu/web',
      ),
    )
    .action(async (name: string, options: { output: OutputFormat; run?: string }) => {
      const { explainCommand } = await import('./commands/explain.ts');
      finish(await explainCommand(name, options));
    });
}
