import { type Command, InvalidArgumentError } from 'commander';
import { PRIORITY_MAX, PRIORITY_MIN, runIdIn } from '@proctor/contracts';
import { loaded, withDecider, WHY } from '../arguments';

const manyRuns = () => import('./many-runs');
const queuesAndWorkers = () => import('./queues-and-workers');

/**
 * What administrators decide about runs, queues and workers; the dispatchers follow within seconds.
 * @param worker the command of that name
 */
export function addDecisionCommands(program: Command, worker: Command): void {
  const cancel = program.command('cancel').argument('[id...]', 'ids of runs', readIds);
  withSelectors(cancel.description('end the unfinished runs that match everything said')).action(
    loaded(manyRuns, 'cancelRuns'),
  );
  const priority = program
    .command('priority')
    .argument('<priority>', `${PRIORITY_MAX} goes first`, readPriority)
    .argument('[id...]', 'ids of runs', readIds);
  withSelectors(priority.description('give waiting runs another priority')).action(
    loaded(manyRuns, 'changePriority'),
  );

  withScope(program.command('pause'))
    .description(
      'start nothing more of a suite, an architecture, both together, or at all; what runs goes on',
    )
    .requiredOption('--reason <text>', WHY)
    .action(loaded(queuesAndWorkers, 'pause'));
  withScope(program.command('resume'))
    .description('end a pause of the same suite and architecture')
    .option('--reason <text>', WHY)
    .action(loaded(queuesAndWorkers, 'resume'));
  withDecider(program.command('drain').argument('<worker>', 'its name'))
    .description('let a worker finish what it has, and give it no more')
    .requiredOption('--reason <text>', WHY)
    .action(loaded(queuesAndWorkers, 'drain'));
  withDecider(program.command('undrain').argument('<worker>', 'its name'))
    .description('give a worker runs again')
    .option('--reason <text>', WHY)
    .action(loaded(queuesAndWorkers, 'undrain'));
  withDecider(worker.command('trust').argument('<worker>', 'its name'))
    .description('take a worker for sound that is quarantined or slowed: it gets runs again at once')
    .option('--reason <text>', WHY)
    .action(loaded(queuesAndWorkers, 'trust'));
  program
    .command('decisions')
    .description('what is paused and drained, by whom and why')
    .action(loaded(queuesAndWorkers, 'listDecisions'));
}

function withScope(command: Command): Command {
  return withDecider(command)
    .option('--suite <name>', 'every suite when left out')
    .option('--arch <name>', 'every architecture when left out');
}

function withSelectors(command: Command): Command {
  return withDecider(command)
    .option('--package <name>', 'runs of this source package')
    .option('--trigger <text>', 'runs with exactly this trigger')
    .option('--suite <name>', 'runs on this suite')
    .option('--arch <name>', 'runs on this architecture')
    .option('--reason <text>', WHY);
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
