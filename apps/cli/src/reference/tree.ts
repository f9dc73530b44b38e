import type { Command, Option } from 'commander';

/** One command of the program, as manual pages show it. */
export interface CommandPage {
  /** All words up to the command: `['proctor', 'run', 'submit']`. */
  words: string[];
  description: string;
  /** Its arguments and `[options]`. */
  usage: string;
  args: { name: string; description: string }[];
  options: CommandOption[];
  /** Empty for a command that does something itself. */
  subcommands: { name: string; description: string }[];
}

interface CommandOption {
  /** In the form of the help: `--suite <name>`. */
  flags: string;
  long: string;
  takesValue: boolean;
  description: string;
}

/** Lists the program and all its commands; each group comes before its own commands. */
export function listCommands(command: Command, above: string[] = []): CommandPage[] {
  const words = [...above, command.name()];
  const help = command.createHelp();
  const isHelp = (each: Command): boolean => each.name() === 'help';
  const subcommands = help.visibleCommands(command).filter((each) => !isHelp(each));
  const page: CommandPage = {
    words,
    description: command.description(),
    usage: command.usage(),
    args: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: help.argumentDescription(argument),
    })),
    options: help
      .visibleOptions(command)
      .map((option) => commandOption(option, help.optionDescription(option))),
    subcommands: subcommands.map((each) => ({ name: each.name(), description: each.description() })),
  };
  return [page, ...subcommands.flatMap((each) => listCommands(each, words))];
}

function commandOption(option: Option, description: string): CommandOption {
  return {
    flags: option.flags,
    long: option.long ?? option.flags,
    takesValue: option.required || option.optional,
    description,
  };
}

/**
 * A section that is the same for every command, in manual pages and docs/command-line.md: a heading, and pairs of term
 * and text.
 */
interface SharedSection {
  heading: string;
  terms: [string, string][];
}

export const SHARED_SECTIONS: SharedSection[] = [
  {
    heading: 'Which service',
    terms: [
      ['--context NAME', 'the service that `proctor context add` has saved under this name'],
      ['PROCTOR_URL, PROCTOR_API_KEY', 'its address, and a key for it'],
      ['PROCTOR_CONTEXT', 'the name of a context'],
      ['proctor context use NAME', 'sets the service that is used without any of these'],
      [
        'PROCTOR_DATABASE_URL',
        'otherwise: the service on this database, at `PROCTOR_URL` or at `api.host` and `api.port` of proctor.yaml; the first command creates a key of `admin`, or of the first administrator by name, and saves it in `admin.key` of the home',
      ],
      ['PROCTOR_HOME', 'otherwise: the Proctor that runs on this home, with the key in `admin.key`'],
    ],
  },
  {
    heading: 'Output',
    terms: [
      ['on a terminal', 'tables with headings, cut to the width of the terminal, times in words'],
      ['in a pipe', 'tab-separated values without headings, never cut, times in ISO 8601'],
      ['--json', 'one JSON document, in the form of the API'],
      ['standard error', 'text for people: progress, notices, errors and what to do next'],
    ],
  },
  {
    heading: 'Exit status',
    terms: [
      ['0', 'done; of `run wait` and `--wait`: all passed, or were neutral'],
      ['1', 'failed; of `run wait` and `--wait`: a test has failed, or a package is not there'],
      ['2', 'wrong usage: the command, an option or a value is not possible'],
      ['4', 'the key is missing, not valid, or may not do this'],
      [
        '75',
        'try again later: a run ended as tmpfail or not in time, or the service, or its database, cannot be reached',
      ],
    ],
  },
  {
    heading: 'Files',
    terms: [
      [
        '~/.config/proctor/contexts.json',
        'addresses and keys, readable only by their owner; `XDG_CONFIG_HOME` names another folder than ~/.config',
      ],
    ],
  },
];
