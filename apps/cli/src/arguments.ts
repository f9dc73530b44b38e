import type { Command } from 'commander';

/** The user that the first start makes. */
export const ADMINISTRATOR = 'admin';

/** What the option `--reason` is for. */
export const WHY = 'why, for people';

export function withDecider(command: Command): Command {
  return command.option('--by <user>', 'the administrator who decides', ADMINISTRATOR);
}

type Action = (...typed: unknown[]) => Promise<void>;

/** The action of a command, whose code is loaded when the command is typed: that of all others takes no time. */
export function loaded<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] extends (...typed: never[]) => Promise<void> ? Action : never;
export function loaded<Module>(load: () => Promise<Module>, name: keyof Module): Action {
  return async (...typed) => ((await load())[name] as Action)(...typed);
}
