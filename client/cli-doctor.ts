import type { Command } from 'commander';
import type { ClusterOptions } from './cluster-options.ts';
import type { ExitCode } from './output/exit-codes.ts';
import { outputOption } from './output/output-option.ts';
import type { OutputFormat } from './output/print.ts';
import { wrapHelp } from './wrap-help.ts';

/** Adds `doctor`. */
export function addDoctor(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .description('check that everything that nodeferry needs is there; changes nothing')
    .option('-f, --file <policy>', 'also check the cluster and the cloud of this policy, with your credentials')
    .addOption(outputOption())
    .addHelpText(
      'after',
      wrapHelp(
        '\nEach check is ok, warning, failed or unknown, with what was found and how to fix it. It takes ten seconds at most.' +
          '\nExit code 0 if nothing failed and everything is known, 1 otherwise, 69 if Temporal cannot be reached.' +
          '\n\nExamples:\n  $ nodeferry doctor\n  $ nodeferry doctor -f policy.yaml' +
          `\n  $ nodeferry doctor -o json | jq -r '.[] | select(.state == "failed") | .fix'`,
      ),
    )
    .action(async (options: { file?: string; output: OutputFormat } & ClusterOptions) => {
      const { doctorCommand } = await import('./commands/doctor.ts');
      finish(await doctorCommand(options));
    });
}
