import { type Command, InvalidArgumentError } from 'commander';
import { printJson } from './output/print';

/** The name of the user that the first start creates. */
export const ADMINISTRATOR = 'admin';

/** Description of the option `--reason`. */
export const WHY = 'the reason, for people';

/** Returns the group of commands with this name, and creates it if it does not exist yet. */
export function groupOf(program: Command, name: string, description: string): Command {
  const group = program.commands.find((command) => command.name() === name);
  return group ?? program.command(name).description(description);
}

/** Adds the option `--json` to a command that prints data. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document, in the form of the API', false);
}

/** Adds the option `--yes` to a command that asks before it changes something. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask', false);
}

/** Collects the values of an option that may be given several times, each value once. */
export function collect(text: string, before: string[] = []): string[] {
  return [...new Set([...before, text])];
}

/** @param what names the thing with this id, for the message: `a run` … */
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
 * Returns the action of a command. The code of the action is loaded only when the command is typed, because loading the
 * code of all commands takes time. The action receives the arguments and, last, the options, those of the program
 * included.
 */
export function actionOf<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] extends (...typed: never[]) => Promise<void> ? Action : never;
export function actionOf<Module>(load: () => Promise<Module>, name: keyof Module): Action {
  return (...typed) => act(load, name, typed);
}

/**
 * Adds `--json` and the action to a command that changes something. The action returns the answer of the API; if it
 * changes only this machine, it returns an object with the names of the changes. Messages for people always go to
 * standard error.
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
