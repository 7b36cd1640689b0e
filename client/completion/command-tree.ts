import type { Argument, Command, Option } from 'commander';

/** What can be written in a place of the command line. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'nothing' };

/** A command and what can follow it. */
export interface CompletedCommand {
  /** `plan`, `schedule create`. Empty for the program itself. */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** The first argument. */
  readonly argument: Completion;
}

/** An option of a command. */
export interface CompletedOption {
  /** `-o`, `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Its value; absent if it takes none. */
  readonly value?: Completion;
}

/** Every command of a program, the program itself first. */
export function readCommands(command: Command, path: readonly string[] = []): readonly CompletedCommand[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  const [argument] = command.registeredArguments;
  return [
    {
      path: path.join(' '),
      subcommands: below.map((one) => ({ name: one.name(), description: one.description() })),
      options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(readOption),
      argument: argument === undefined ? { kind: 'nothing' } : readArgument(argument),
    },
    ...below.flatMap((one) => readCommands(one, [...path, one.name()])),
  ];
}

function readOption(option: Option): CompletedOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const takesValue = option.required || option.optional;
  const value = { value: valueOf(option.argChoices, placeholderOf(option.flags)) };
  return { flags, description: option.description, ...(takesValue ? value : {}) };
}

function readArgument(argument: Argument): Completion {
  return valueOf(argument.argChoices, argument.name());
}

/** Names of values that are files. */
const files = ['policy', 'plan', 'file'];

function valueOf(choices: readonly string[] | undefined, placeholder: string): Completion {
  if (choices !== undefined) return { kind: 'words', words: choices };
  return files.includes(placeholder) ? { kind: 'files' } : { kind: 'nothing' };
}

/** `policy` of `-f, --file <policy...>`. */
function placeholderOf(flags: string): string {
  return /[<[](\w+)/.exec(flags)?.[1] ?? '';
}
