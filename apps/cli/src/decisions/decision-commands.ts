import type { Command } from 'commander';
import { addChange, groupOf, actionOf, WHY, withJson, withYes } from '../arguments';
import { readDuration } from '../output/duration';

const queuesAndWorkers = () => import('./decisions');

/**
 * Adds the commands for decisions of administrators about queues and workers. Dispatchers apply them within seconds.
 */
export function addDecisionCommands(program: Command): void {
  const pause = withYes(withScope(program.command('pause')))
    .description(
      'start no further tests of a suite, of an architecture, of both together, or at all; running tests go on; for all tests, asks on a terminal',
    )
    .requiredOption('--reason <text>', WHY);
  addChange(pause, queuesAndWorkers, 'pause');
  const resume = withScope(program.command('resume'))
    .description('end a pause of the same suite and architecture')
    .option('--reason <text>', WHY);
  addChange(resume, queuesAndWorkers, 'resume');
  withJson(program.command('decisions'))
    .description('list what is paused or drained, who decided it, and why')
    .action(actionOf(queuesAndWorkers, 'listDecisions'));

  const worker = groupOf(program, 'worker', 'the machines that run tests');
  const drain = worker
    .command('drain')
    .argument('<worker>', 'its name')
    .description('let a worker finish its runs, and give it no new ones')
    .requiredOption('--reason <text>', WHY)
    .option('--wait', 'wait until it has finished its runs', false)
    .option(
      '--deadline <time>',
      'after 30m, 2h, give the runs that it still executes to other workers',
      readDuration,
    );
  addChange(drain, () => import('./drain-worker'), 'drainWorker');
  const undrain = worker
    .command('resume')
    .argument('<worker>', 'its name')
    .description('end the drain of a worker: it gets runs again')
    .option('--reason <text>', WHY);
  addChange(undrain, queuesAndWorkers, 'undrain');
  const quarantine = worker
    .command('quarantine')
    .argument('<worker>', 'its name')
    .description(
      'give a worker no runs until a canary test passes on it, or until an administrator trusts it',
    )
    .requiredOption('--reason <text>', WHY);
  addChange(quarantine, queuesAndWorkers, 'quarantine');
  const trust = worker
    .command('trust')
    .argument('<worker>', 'its name')
    .description('trust a worker that is quarantined or slowed: it gets runs again at once')
    .option('--reason <text>', WHY);
  addChange(trust, queuesAndWorkers, 'trust');
}

function withScope(command: Command): Command {
  return command
    .option('--suite <name>', 'all suites if it is left out')
    .option('--arch <name>', 'all architectures if it is left out');
}
