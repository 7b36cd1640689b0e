import type { Command } from 'commander';
import { bashScript } from '../completion/bash.ts';
import { readCommands } from '../completion/command-tree.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Prints the script that completes the commands and options of `program` in a shell. */
export function completionCommand(program: Command, shell: keyof typeof scripts): ExitCode {
  process.stdout.write(scripts[shell](readCommands(program)));
  return exitCodes.ok;
}
