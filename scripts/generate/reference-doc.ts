import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../client/cli.ts';
import { findTopic } from '../../client/explain/topics.ts';
import { exitCodes } from '../../client/output/exit-codes.ts';
import { problemCodes } from '../../core/model/problem.ts';
import { table } from './steps-doc.ts';

const introduction = `# Reference of the command line

Generated from the commands, exit codes and problem codes by \`npm run gen\`. [The command line](cli.md) explains how they
go together, \`nodeferry COMMAND --help\` has examples, and \`nodeferry explain NAME\` says the same of one code.
The metrics of the worker are in [their own page](metrics.md), the fields of a policy in [the policy](policy.md).
`;

/** The page that lists every command with its options, every exit code and every problem code. */
export function referenceDoc(): string {
  const program = createProgram('nodeferry', () => undefined);
  const all = commandsBelow(program);
  return [
    introduction,
    '## Options of several commands\n',
    ...sharedOptions(program, all),
    '\n## Commands\n',
    ...all.flatMap(sectionOf),
    '## Exit codes\n',
    ...table(['code', 'meaning', 'problem codes'], Object.values(exitCodes).toSorted(byNumber).map(exitCodeRow)),
    '\n## Problem codes\n',
    'An error is printed with its code. *again*: `yes` where the same may succeed when it is tried again.\n',
    ...table(['code', 'meaning', 'fix', 'again', 'exit code'], Object.keys(problemCodes).map(problemRow)),
    '',
  ].join('\n');
}

function commandsBelow(command: Command): readonly Command[] {
  const below = command.createHelp().visibleCommands(command);
  return below.filter((one) => one.name() !== 'help').flatMap((one) => [one, ...commandsBelow(one)]);
}

/** The options that say which Temporal server is used, and that for help. */
function sharedOptions(program: Command, all: readonly Command[]): readonly string[] {
  const help = program.createHelp();
  const without = all.filter((one) => one.createHelp().visibleGlobalOptions(one).length === 0);
  const shared = help.visibleOptions(program).filter(({ long }) => long === '--address' || long === '--namespace');
  return [
    ...table(
      ['option', 'meaning'],
      shared.map((one) => optionRow(one, help.optionDescription(one))),
    ),
    '',
    `Every command takes \`-h, --help\`. All take these, but for ${without.map((one) => code(nameOf(one))).join(', ')}.`,
  ];
}

function sectionOf(command: Command): readonly string[] {
  const help = command.createHelp();
  const rows = [
    ...help.visibleArguments(command).map((one) => argumentRow(one, help.argumentDescription(one))),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((one) => optionRow(one, help.optionDescription(one))),
  ];
  return [
    `### ${nameOf(command)}\n`,
    `${sentence(command.description())}\n`,
    ...(rows.length === 0 ? [] : [...table(['argument or option', 'meaning'], rows), '']),
  ];
}

/** `schedule create`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
}

function argumentRow(argument: Argument, description: string): readonly string[] {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return [code(argument.required ? `<${name}>` : `[${name}]`), description];
}

function optionRow({ flags, mandatory }: Option, description: string): readonly string[] {
  // That a flag is not set, or that no reason is given, says nothing.
  const told = description.replace(/ \(default: (?:false|"")\)$/, '');
  return [code(flags), mandatory ? `${told} (required)` : told];
}

function exitCodeRow(exitCode: number): readonly string[] {
  const topic = findTopic(String(exitCode));
  if (topic?.kind !== 'exit-code') throw new Error(`nothing explains exit code ${exitCode}`);
  return [topic.name, topic.means, topic.codes.map(code).join(', ')];
}

function problemRow(name: string): readonly string[] {
  const topic = findTopic(name);
  if (topic?.kind !== 'code') throw new Error(`nothing explains problem code ${name}`);
  return [code(name), topic.means, topic.fix, topic.retryable ? 'yes' : '', String(topic.exitCode)];
}

function byNumber(a: number, b: number): number {
  return a - b;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function code(text: string): string {
  return `\`${text}\``;
}
