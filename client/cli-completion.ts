import { Argument, type Command } from 'commander';
import type { ExitCode } from './output/exit-codes.ts';
import { wrapHelp } from './wrap-help.ts';

/** Shells for which a completion script can be printed. */
const shells = ['bash', 'zsh', 'fish'] as const;

/** Adds `completion`. Its script knows all commands that `program` has when it is printed. */
export function addCompletion(program: Command, finish: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText(
      'after',
      wrapHelp(
        '\nThe script asks no server. Print it anew after an update.' +
          '\n\nExamples:\n  $ source <(nodeferry completion bash)      # in ~/.bashrc' +
          '\n  $ source <(nodeferry completion zsh)       # in ~/.zshrc, after compinit' +
          '\n  $ nodeferry completion fish > ~/.config/fish/completions/nodeferry.fish',
      ),
    )
    .action(async (shell: (typeof shells)[number]) => {
      const { completionCommand } = await import('./commands/completion.ts');
      finish(completionCommand(program, shell));
    });
}
