import { type Command, InvalidArgumentError } from 'commander';
import { PRIORITY_MAX, PRIORITY_MIN, runIdIn } from '@proctor/contracts';
import {
  readArch,
  readPackage,
  readReason,
  readSuite,
  readTrigger,
  readWorker,
  withDecider,
  WHY,
} from '../arguments';
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
    .requiredOption('--reason <text>', WHY, readReason)
    .action(pause);
  withScope(program.command('resume'))
    .description('end a pause of the same suite and architecture')
    .option('--reason <text>', WHY, readReason)
    .action(resume);
  withDecider(program.command('drain').argument('<worker>', 'its name', readWorker))
    .description('let a worker finish what it has, and give it no more')
    .requiredOption('--reason <text>', WHY, readReason)
    .action(drain);
  withDecider(program.command('undrain').argument('<worker>', 'its name', readWorker))
    .description('give a worker runs again')
    .option('--reason <text>', WHY, readReason)
    .action(undrain);
  withDecider(worker.command('trust').argument('<worker>', 'its name', readWorker))
    .description('take a worker for sound that is quarantined or slowed: it gets runs again at once')
    .option('--reason <text>', WHY, readReason)
    .action(trust);
  program
    .command('decisions')
    .description('what is paused and drained, by whom and why')
    .action(listDecisions);
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
    .option('--reason <text>', WHY, readReason);
}

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
