import type { CompletedCommand, CompletedOption } from './command-tree.ts';

/** The completion script for zsh, to be sourced after compinit or to be put into $fpath as _nodeferry. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef nodeferry
# zsh completion for nodeferry: source <(nodeferry completion zsh)
_nodeferry() {
  local command='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
${commands.flatMap(enterCase).join('\n')}
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${commands.flatMap(valueCases).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case $command in
${commands.map(optionCase).join('\n')}
    esac
    _describe -o option found
  else
    case $command in
${commands.flatMap(argumentCase).join('\n')}
    esac
    _describe command found
  fi
}
compdef _nodeferry nodeferry
`;
}

function enterCase({ path }: CompletedCommand): readonly string[] {
  if (path === '') return [];
  const parents = path.split(' ').slice(0, -1).join(' ');
  return [`      '${parents} ${path.split(' ').at(-1)}') command='${path}' ;;`];
}

function valueCases({ path, options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const act =
      value.kind === 'files' ? '_files; ' : value.kind === 'words' ? `compadd -- ${value.words.join(' ')}; ` : '';
    return [`    ${flags.map((flag) => `'${path} ${flag}'`).join(' | ')}) ${act}return ;;`];
  });
}

function optionCase({ path, options }: CompletedCommand): string {
  return `      '${path}') found=(${options.flatMap(describeFlags).join(' ')}) ;;`;
}

function describeFlags({ flags, description }: CompletedOption): readonly string[] {
  return flags.map((flag) => describe(flag, description));
}

function argumentCase({ path, subcommands, argument }: CompletedCommand): readonly string[] {
  if (subcommands.length > 0) {
    const words = subcommands.map(({ name, description }) => describe(name, description));
    return [`      '${path}') found=(${words.join(' ')}) ;;`];
  }
  if (argument.kind === 'files') return [`      '${path}') _files; return ;;`];
  return argument.kind === 'words' ? [`      '${path}') found=(${argument.words.join(' ')}) ;;`] : [];
}

/** `'name:description'`. */
function describe(name: string, description: string): string {
  return `'${name}:${description.replaceAll("'", "'\\''")}'`;
}
