import { type Command, InvalidArgumentError } from 'commander';
import {
  isArchitecture,
  isPackageName,
  isReason,
  isStorable,
  isWord,
  REASON_LENGTH_MAX,
  WORKER_NAME,
} from '@proctor/contracts';
import { ADMINISTRATOR } from './start/administrator';

/** What the option `--reason` is for. */
export const WHY = 'why, for people';

export function withDecider(command: Command): Command {
  return command.option('--by <user>', 'the administrator who decides', ADMINISTRATOR);
}

function reader(passes: (text: string) => boolean, rule: string): (text: string) => string {
  return (text) => {
    if (passes(text)) return text;
    throw new InvalidArgumentError(`It must be ${rule}.`);
  };
}

export const readSuite = reader(isWord, 'the name of a suite');
export const readArch = reader(isArchitecture, 'the name of an architecture');
export const readPackage = reader(isPackageName, 'the name of a source package');
export const readTrigger = reader(isStorable, 'text');
export const readWorker = reader((text) => WORKER_NAME.test(text), 'the name of a worker');
export const readReason = reader(isReason, `1 to ${REASON_LENGTH_MAX} characters`);
