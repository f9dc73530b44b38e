import { type Command, InvalidArgumentError } from 'commander';
import { printJson } from './output/print';

/** The user that the first start makes. */
export const ADMINISTRATOR = 'admin';

/** What the option `--reason` is for. */
export const WHY = 'why, for people';

/** Those who add commands find the one that theirs belong to, which is made when it is not there yet. */
export function groupOf(program: Command, name: string, description: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  return found ?? program.command(name).description(description);
}

/** For commands that print data. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document, as the API has it', false);
}

/** For commands that ask before they change something. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask', false);
}

/** For an option that may be said several times. */
export function collect(text: string, before: string[] = []): string[] {
  return [...new Set([...before, text])];
}

/** @param what that the id is of: `a run` … */
export function readIdOf(text: string, what: string): number {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError(`It must be the id of ${what}.`);
}

export function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

type Action<Outcome = void> = (...typed: unknown[]) => Promise<Outcome>;

/**
 * The action of a command, whose code is loaded when the command is typed: that of all others takes no time. It gets the arguments
 * and, last, the options, those of the program among them.
 */
export function actionOf<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] extends (...typed: never[]) => Promise<void> ? Action : never;
export function actionOf<Module>(load: () => Promise<Module>, name: keyof Module): Action {
  return (...typed) => act(load, name, typed);
}

/**
 * For a command that changes something: adds `--json` and the action, which returns what the API has answered, or for what is done on
 * this machine alone an object with the names of what has changed. What it says to people goes to standard error in any case.
 */
export function addChange<Module, Name extends keyof Module>(
  command: Command,
  load: () => Promise<Module>,
  name: Module[Name] extends (...typed: never[]) => Promise<object> ? Name : never,
): Command {
  return withJson(command).action(async (...typed: unknown[]) => {
    const answer = await act<Module, object>(load, name, typed);
    if (command.opts<{ json: boolean }>().json) printJson(answer);
  });
}

async function act<Module, Outcome>(
  load: () => Promise<Module>,
  name: keyof Module,
  typed: unknown[],
): Promise<Outcome> {
  const command = typed.at(-1) as Command;
  const action = (await load())[name] as Action<Outcome>;
  return action(...typed.slice(0, -2), command.optsWithGlobals());
}
