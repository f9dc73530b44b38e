import { type Command, InvalidArgumentError } from 'commander';
import {
  isArchitecture,
  isPackageName,
  isReason,
  isStorable,
  isWord,
  PRIORITY_MAX,
  PRIORITY_MIN,
  REASON_LENGTH_MAX,
  runIdIn,
  WORKER_NAME,
} from '@proctor/contracts';
import { ADMINISTRATOR } from '../start/administrator';
import { cancelRuns, changePriority } from './many-runs';
import { drain, listDecisions, pause, resume, trust, undrain } from './queues-and-workers';

/**
 * What administrators decide about runs, queues and workers; the dispatchers follow within seconds.
 * @param worker the command of that name
 */
export function addDecisionCommands(program: Command, worker: Command): void {
  const cancel = program.command('cancel').argument('[id...]', 'ids of runs', readIds);
  withSelectors(cancel.description('end the unfinished runs that match everything said')).action(cancelRuns);
  const priority = program
    .command('priority')
    .argument('<priority>', `${PRIORITY_MAX} goes first`, readPriority)
    .argument('[id...]', 'ids of runs', readIds);
  withSelectors(priority.description('give waiting runs another priority')).action(changePriority);

  withScope(program.command('pause'))
    .description(
      'start nothing more of a suite, an architecture, both together, or at all; what runs goes on',
    )
    .requiredOption('--reason <text>', 'why, for people', readReason)
    .action(pause);
  withScope(program.command('resume'))
    .description('end a pause of the same suite and architecture')
    .option('--reason <text>', 'why, for people', readReason)
    .action(resume);
  withDecider(program.command('drain').argument('<worker>', 'its name', readWorker))
    .description('let a worker finish what it has, and give it no more')
    .requiredOption('--reason <text>', 'why, for people', readReason)
    .action(drain);
  withDecider(program.command('undrain').argument('<worker>', 'its name', readWorker))
    .description('give a worker runs again')
    .option('--reason <text>', 'why, for people', readReason)
    .action(undrain);
  withDecider(worker.command('trust').argument('<worker>', 'its name', readWorker))
    .description('take a worker for sound that is quarantined or slowed: it gets runs again at once')
    .option('--reason <text>', 'why, for people', readReason)
    .action(trust);
  program
    .command('decisions')
    .description('what is paused and drained, by whom and why')
    .action(listDecisions);
}

function withDecider(command: Command): Command {
  return command.option('--by <user>', 'the administrator who decides', ADMINISTRATOR);
}

function withScope(command: Command): Command {
  return withDecider(command)
    .option('--suite <name>', 'every suite when left out', readSuite)
    .option('--arch <name>', 'every architecture when left out', readArch);
}

function withSelectors(command: Command): Command {
  return withDecider(command)
    .option('--package <name>', 'runs of this source package', readPackage)
    .option('--trigger <text>', 'runs with exactly this trigger', readTrigger)
    .option('--suite <name>', 'runs on this suite', readSuite)
    .option('--arch <name>', 'runs on this architecture', readArch)
    .option('--reason <text>', 'why, for people', readReason);
}

function reader(passes: (text: string) => boolean, rule: string): (text: string) => string {
  return (text) => {
    if (passes(text)) return text;
    throw new InvalidArgumentError(`It must be ${rule}.`);
  };
}

const readSuite = reader(isWord, 'the name of a suite');
const readArch = reader(isArchitecture, 'the name of an architecture');
const readPackage = reader(isPackageName, 'the name of a source package');
const readTrigger = reader(isStorable, 'text');
const readWorker = reader((text) => WORKER_NAME.test(text), 'the name of a worker');
const readReason = reader(isReason, `1 to ${REASON_LENGTH_MAX} characters`);

function readIds(text: string, before: number[] | undefined): number[] {
  const id = runIdIn(text);
  if (id !== null) return [...(before ?? []), id];
  throw new InvalidArgumentError('It must be the id of a run.');
}

function readPriority(text: string): number {
  const priority = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  if (priority >= PRIORITY_MIN && priority <= PRIORITY_MAX) return priority;
  throw new InvalidArgumentError(`It must be a whole number from ${PRIORITY_MIN} to ${PRIORITY_MAX}.`);
}
