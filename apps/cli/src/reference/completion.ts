import type { CommandPage } from './tree';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns a script for the shell that completes commands, options, and the names of contexts. */
export function completionScript(shell: Shell, commands: CommandPage[]): string {
  return { bash, zsh, fish }[shell](commands);
}

/** The words of a command without the program: `run submit`. */
function pathOf({ words }: CommandPage): string {
  return words.slice(1).join(' ');
}

const CONTEXTS = 'proctor context list 2>/dev/null | cut -f1';

/**
 * A loop in the language of the shell that finds the command in the words before the cursor, and skips options. No
 * variable is called `path`: in zsh that is the search path for programs.
 */
function pathLoop(commands: CommandPage[], first: string): string {
  const paths = commands.filter(({ words }) => words.length > 1).map((each) => `'${pathOf(each)}'`);
  return `${first}
    case "\${said:+$said }$word" in
      ${paths.join(' | ')}) said="\${said:+$said }$word" ;;
    esac
  done`;
}

function bash(commands: CommandPage[]): string {
  const cases = commands.map((command) => {
    const options = command.options.map(({ long }) => long).join(' ');
    const names = command.subcommands.map(({ name }) => name).join(' ');
    return `    '${pathOf(command)}') names='${names}' options='${options}' ;;`;
  });
  return `# Completion of proctor for bash: source <(proctor completion bash)
_proctor() {
  local said= word names= options= current=\${COMP_WORDS[COMP_CWORD]}
  ${pathLoop(commands, 'for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do')}
  case $said in
${cases.join('\n')}
  esac
  case \${COMP_WORDS[COMP_CWORD-1]} in
    --context) names=$(${CONTEXTS}) options= ;;
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$names" -- "$current")) ;;
  esac
}
complete -o default -F _proctor proctor
`;
}

function zsh(commands: CommandPage[]): string {
  const cases = commands.map((command) => {
    const names = command.subcommands.map(({ name, description }) => quoted(`${name}:${description}`));
    const options = command.options.map(({ long, description }) => quoted(`${long}:${description}`));
    return `    '${pathOf(command)}') names=(${names.join(' ')}) options=(${options.join(' ')}) ;;`;
  });
  return `#compdef proctor
# Completion of proctor for zsh: source <(proctor completion zsh) behind compinit, or a file _proctor in $fpath
_proctor() {
  local said= word
  local -a names options
  ${pathLoop(commands, 'for word in "${(@)words[2,CURRENT-1]}"; do')}
  if [[ $words[CURRENT-1] == --context ]]; then
    compadd -- \${(f)"$(${CONTEXTS})"}
    return
  fi
  case $said in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe 'option' options
  elif (( $#names )); then
    _describe 'command' names
  else
    _files
  fi
}
# The first time that a file of $fpath is needed, it is executed in place of the function.
if [[ $funcstack[1] == _proctor ]]; then
  _proctor "$@"
else
  compdef _proctor proctor
fi
`;
}

function fish(commands: CommandPage[]): string {
  const lines = commands.flatMap((command) => {
    const path = pathOf(command);
    const at = `-n '__proctor_at "${path}"'`;
    return [
      ...command.subcommands.map(
        ({ name, description }) => `complete -c proctor ${at} -f -a ${name} -d ${quoted(description)}`,
      ),
      ...command.options.map(
        ({ long, takesValue, description }) =>
          `complete -c proctor ${at} ${takesValue ? '-r ' : ''}-l ${long.slice(2)} -d ${quoted(description)}`,
      ),
    ];
  });
  const paths = commands.map((command) => `'${pathOf(command)}'`).join(' ');
  return `# Completion of proctor for fish: proctor completion fish | source
function __proctor_at
  set -l known ${paths}
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim "$path $word")
    contains -- $longer $known; and set path $longer
  end
  test "$path" = "$argv[1]"
end
complete -c proctor -l context -x -a '(${CONTEXTS.replaceAll("'", "\\'")})'
${lines.join('\n')}
`;
}

/** Quotes a text for zsh and fish: in both, ' ends a quotation, and a ` must not start a command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`;
}
