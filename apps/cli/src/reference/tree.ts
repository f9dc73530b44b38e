import type { Command, Option } from 'commander';

/** One command of the program, and how it is typed. */
export interface CommandPage {
  /** What is typed before it: `['proctor', 'run', 'submit']`. */
  words: string[];
  description: string;
  /** Its arguments and `[options]`. */
  usage: string;
  args: { name: string; description: string }[];
  options: CommandOption[];
  /** Empty for a command that does something itself. */
  subcommands: { name: string; description: string }[];
}

export interface CommandOption {
  /** As in the help: `--suite <name>`. */
  flags: string;
  long: string;
  takesValue: boolean;
  description: string;
}

/** The program itself and all below it, each before those below it. */
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
