import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, type Option } from 'commander';
import { addConfigurationCommands } from './config/commands';
import { addContextCommands } from './contexts/commands';
import { addDecisionCommands } from './decisions/commands';
import { addDoctorCommands } from './doctor/commands';
import { addServiceCommands } from './machine/commands';
import { addLookingCommands } from './queries/commands';
import { projectFolder } from './project';
import { addReferenceCommands } from './reference/commands';
import { addRegisterCommands } from './register/commands';
import { addRunCommands } from './runs/commands';
import { addToldCommands } from './webhooks-and-events/commands';
import { addUpkeepCommands } from './backup/commands';
import { addImportCommands } from './import/commands';
import { addUserCommands } from './users/commands';

/** Each adds what belongs together, in the order of the help; the code behind a command is loaded when it is typed. */
const ADDED = [
  addRunCommands,
  addLookingCommands,
  addToldCommands,
  addServiceCommands,
  addUpkeepCommands,
  addConfigurationCommands,
  addUserCommands,
  addImportCommands,
  addRegisterCommands,
  addDecisionCommands,
  addContextCommands,
  addDoctorCommands,
  addReferenceCommands,
];

/**
 * Exit codes: see `EXIT`.
 * @param begins is told which command begins, as `run`, `list`
 */
export function createProgram(begins: (words: string[]) => void = () => undefined): Command {
  const program = new Command('proctor')
    .description('Schedules Debian package tests on worker machines and keeps their results.')
    .version(version(), '--version', 'print the version')
    .option('--context <name>', 'speak to the service of this context')
    .configureHelp({ showGlobalOptions: true, optionDescription: described })
    .showHelpAfterError('(add --help to see how it is used)')
    .exitOverride()
    .hook('preAction', (_program, command) => begins(wordsOf(command)));
  for (const add of ADDED) add(program);
  return program;
}

/** Without the name of the program. */
function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

function version(): string {
  const text = readFileSync(join(projectFolder(), 'package.json'), 'utf8');
  return `proctor ${(JSON.parse(text) as { version: string }).version}`;
}

function described({ description, mandatory, defaultValue }: Option): string {
  if (mandatory) return `${description} (required)`;
  const isToldDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  return isToldDefault ? `${description} (default: ${String(defaultValue)})` : description;
}
