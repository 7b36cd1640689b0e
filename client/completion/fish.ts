import type { CompletedCommand, CompletedOption, Completion } from './command-tree.ts';

/** The completion script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  return `# fish completion for nodeferry: nodeferry completion fish > ~/.config/fish/completions/nodeferry.fish
function __nodeferry_at
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l command ''
    for word in $tokens
        switch "$command $word"
${commands.flatMap(enterCase).join('\n')}
        end
    end
    test "$command" = "$argv[1]"
end
complete -c nodeferry -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function enterCase({ path }: CompletedCommand): readonly string[] {
  if (path === '') return [];
  const parents = path.split(' ').slice(0, -1).join(' ');
  return [`            case '${parents} ${path.split(' ').at(-1)}'`, `                set command '${path}'`];
}

function linesOf({ path, subcommands, options, argument }: CompletedCommand): readonly string[] {
  const at = `complete -c nodeferry -n '__nodeferry_at "${path}"'`;
  return [
    ...subcommands.map(({ name, description }) => `${at} -a ${name} -d ${quote(description)}`),
    ...options.map((option) => `${at} ${describeOption(option)}`),
    ...(subcommands.length === 0 && argument.kind !== 'nothing' ? [`${at} ${valueOf(argument)}`] : []),
  ];
}

function describeOption({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...(value === undefined ? [] : [valueOf(value)]), `-d ${quote(description)}`].join(' ');
}

/** `-x`: a value is needed, and it is no file. */
function valueOf(completion: Completion): string {
  if (completion.kind === 'files') return '-r -F';
  return completion.kind === 'words' ? `-x -a ${quote(completion.words.join(' '))}` : '-x';
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
