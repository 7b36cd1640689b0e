import type { CompletedCommand, Completion } from './command-tree.ts';

/** The completion script for bash. It needs no other package, and runs nothing that stands on the command line. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `# bash completion for nodeferry: source <(nodeferry completion bash)
_nodeferry() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
${commands.flatMap(enterCase).join('\n')}
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case $command in
${commands.map(optionCase).join('\n')}
    esac
  else
    case $command in
${commands.map(argumentCase).join('\n')}
    esac
  fi
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$cur"))
  return 0
}
# Where nothing is found, bash completes files.
_nodeferry_no_files() { compopt +o default 2>/dev/null || :; }
complete -o default -F _nodeferry nodeferry
`;
}

function enterCase({ path }: CompletedCommand): readonly string[] {
  if (path === '') return [];
  const [name = '', ...parents] = path.split(' ').toReversed();
  return [`      '${parents.toReversed().join(' ')} ${name}') command='${path}' ;;`];
}

function valueCases({ path, options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const places = flags.map((flag) => `'${path} ${flag}'`).join(' | ');
    const words = value.kind === 'words' ? `COMPREPLY=($(compgen -W '${value.words.join(' ')}' -- "$cur")); ` : '';
    return [`    ${places}) ${value.kind === 'files' ? '' : '_nodeferry_no_files; '}${words}return 0 ;;`];
  });
}

function optionCase({ path, options }: CompletedCommand): string {
  return `      '${path}') words='${options.flatMap(({ flags }) => flags).join(' ')}' ;;`;
}

function argumentCase({ path, subcommands, argument }: CompletedCommand): string {
  const words = subcommands.length > 0 ? subcommands.map(({ name }) => name) : wordsOf(argument);
  const files = argument.kind === 'files' ? '' : '_nodeferry_no_files; ';
  return `      '${path}') ${files}words='${words.join(' ')}' ;;`;
}

function wordsOf(completion: Completion): readonly string[] {
  return completion.kind === 'words' ? completion.words : [];
}
