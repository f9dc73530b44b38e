import { type Command, InvalidArgumentError } from 'commander';
import { groupOf, actionOf, readCount, readIdOf, WHY, withJson, withYes } from '../arguments';
import { readDuration } from '../output/duration';

const triggers = () => import('./triggers');
const rejectList = () => import('./reject-list');

const GROUPS =
  'regression, unknown, as-before, infrastructure, absent, waiting, passed, superseded; joined by commas';

/** Adds the commands that show the state of the service. */
export function addQueryCommands(program: Command): void {
  withJson(program.command('status'))
    .description('show queues and workers, and what holds them back')
    .option('--watch', 'repeat until Ctrl-C', false)
    .option('--every <time>', 'with --watch: how often: 2s, 1m', readInterval, 2)
    .action(actionOf(() => import('./status'), 'printStatus'));
  withJson(program.command('queue'))
    .description('show what waits in each suite and architecture, how long, and why')
    .option('--suite <name>', 'only this suite')
    .option('--arch <name>', 'only this architecture')
    .action(actionOf(() => import('./queues'), 'listQueues'));

  const trigger = groupOf(program, 'trigger', 'the tests that new versions of packages have triggered');
  withJson(trigger.command('list'))
    .description('list triggers, the newest first, with the progress of their tests')
    .option('--query <text>', 'triggers that contain this text')
    .option('--limit <count>', 'how many at most', readCount, 50)
    .action(actionOf(triggers, 'listTriggers'));
  withJson(trigger.command('show').argument('<trigger>', 'such as glibc/2.40-4'))
    .description("show the progress of a trigger's tests, regressions first")
    .option('--group <names>', GROUPS)
    .option('--suite <name>', 'only on this suite')
    .option('--arch <name>', 'only on this architecture')
    .option('--limit <count>', 'how many tests at most', readCount, 500)
    .action(actionOf(triggers, 'printTrigger'));
  addTriggerActions(trigger);

  const reject = groupOf(program, 'reject-list', 'packages that are not tested');
  withJson(reject.command('show'))
    .description('show the whole list')
    .action(actionOf(rejectList, 'printRejectList'));
  withJson(reject.command('check').argument('<package>'))
    .description('check whether a package is tested; the exit code is 1 if it is not')
    .option('--suite <name>', 'only on this suite')
    .option('--arch <name>', 'only on this architecture')
    .option('--package-version <version>', 'in this version')
    .action(actionOf(rejectList, 'checkPackage'));
}

function addTriggerActions(trigger: Command): void {
  const actions = () => import('./trigger-actions');
  const action = (name: string): Command =>
    withYes(withJson(trigger.command(name).argument('<trigger>', 'such as glibc/2.40-4')))
      .option('--suite <name>', 'only on this suite')
      .option('--arch <name>', 'only on this architecture')
      .option('--run <id>', 'only this run; repeat it for several', readRuns)
      .option('--dry-run', 'only print what would be done', false);
  action('retry')
    .description('request tests of a trigger again; asks first, with their number; prints the new runs')
    .option('--group <names>', GROUPS)
    .action(actionOf(actions, 'retryTests'));
  action('refresh')
    .description('request new reference runs for the packages of a trigger; asks first, with their number')
    .option('--group <names>', GROUPS)
    .action(actionOf(actions, 'refreshTests'));
  action('cancel')
    .description('end waiting and running tests of a trigger; asks first, with their number')
    .option('--group <names>', GROUPS, 'waiting')
    .option('--reason <text>', WHY)
    .action(actionOf(actions, 'cancelTests'));
}

function readRuns(text: string, before: number[] = []): number[] {
  return [...new Set([...before, readIdOf(text, 'a run')])];
}

const INTERVAL_MIN_SECONDS = 0.5;

function readInterval(text: string): number {
  const seconds = readDuration(text);
  if (seconds >= INTERVAL_MIN_SECONDS) return seconds;
  throw new InvalidArgumentError(`It must be at least ${INTERVAL_MIN_SECONDS} seconds.`);
}
