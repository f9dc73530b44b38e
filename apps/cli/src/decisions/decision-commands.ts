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
      'start nothing more of a suite, an architecture, both together, or at all, which asks on a terminal; what runs goes on',
    )
    .requiredOption('--reason <text>', WHY);
  addChange(pause, queuesAndWorkers, 'pause');
  const resume = withScope(program.command('resume'))
    .description('end a pause of the same suite and architecture')
    .option('--reason <text>', WHY);
  addChange(resume, queuesAndWorkers, 'resume');
  withJson(program.command('decisions'))
    .description('what is paused and drained, who decided it, and why')
    .action(actionOf(queuesAndWorkers, 'listDecisions'));

  const worker = groupOf(program, 'worker', 'the machines that run tests');
  const drain = worker
    .command('drain')
    .argument('<worker>', 'its name')
    .description('let a worker finish what it has, and give it nothing else')
    .requiredOption('--reason <text>', WHY)
    .option('--wait', 'until it has finished what it has', false)
    .option('--deadline <time>', 'after 30m, 2h, what it still executes is given to others', readDuration);
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
    .description('give a worker no runs until a canary test passes there, or it is trusted')
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
    .option('--suite <name>', 'every suite when left out')
    .option('--arch <name>', 'every architecture when left out');
}
