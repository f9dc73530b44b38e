import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, type Option } from 'commander';
import { addConfigurationCommands } from './config/config-commands';
import { addContextCommands } from './contexts/context-commands';
import { addDecisionCommands } from './decisions/decision-commands';
import { addDoctorCommands } from './doctor/doctor-commands';
import { addMachineCommands } from './machine/machine-commands';
import { addQueryCommands } from './queries/query-commands';
import { projectFolder } from './project';
import { addReferenceCommands } from './reference/reference-commands';
import { addRegisterCommands } from './workers/worker-commands';
import { addRunCommands } from './runs/run-commands';
import { addWebhookAndEventCommands } from './webhooks-and-events/webhook-commands';
import { addBackupCommands } from './backup/backup-commands';
import { addImportCommands } from './import/import-commands';
import { addUserCommands } from './users/user-commands';

/**
 * Functions that add the groups of commands, in the order of the help. The code of a command is loaded when it is
 * typed.
 */
const ADDED = [
  addRunCommands,
  addQueryCommands,
  addWebhookAndEventCommands,
  addMachineCommands,
  addBackupCommands,
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
 * Creates the program with all its commands. Its exit codes are in `EXIT`.
 * @param onStart called with the words of the command that starts: `run`, `list`
 */
export function createProgram(onStart: (words: string[]) => void = () => undefined): Command {
  const program = new Command('proctor')
    .description('Schedules Debian package tests on worker machines and keeps their results.')
    .version(version(), '--version', 'print the version')
    .option('--context <name>', 'use the service of this context')
    .configureHelp({ showGlobalOptions: true, optionDescription: described })
    .showHelpAfterError('(add --help to see how it is used)')
    .exitOverride()
    .hook('preAction', (_program, command) => onStart(wordsOf(command)));
  for (const add of ADDED) add(program);
  return program;
}

/** The words of a command, without the name of the program. */
function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

function version(): string {
  const text = readFileSync(join(projectFolder(), 'package.json'), 'utf8');
  return `proctor ${(JSON.parse(text) as { version: string }).version}`;
}

function described({ description, mandatory, defaultValue }: Option): string {
  if (mandatory) return `${description} (required)`;
  const hasDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  return hasDefault ? `${description} (default: ${String(defaultValue)})` : description;
}
