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
    .description('queues, workers, and what holds them back')
    .option('--watch', 'again and again, until Ctrl-C', false)
    .option('--every <time>', 'with --watch: how often', readInterval, 2)
    .action(actionOf(() => import('./status'), 'printStatus'));
  withJson(program.command('queue'))
    .description('what waits in each suite and architecture, how long, and why')
    .option('--suite <name>', 'of this suite')
    .option('--arch <name>', 'of this architecture')
    .action(actionOf(() => import('./queues'), 'listQueues'));

  const trigger = groupOf(program, 'trigger', 'what new versions of packages have triggered');
  withJson(trigger.command('list'))
    .description('triggers, the newest first, and how far their tests are')
    .option('--query <text>', 'those with this text')
    .option('--limit <count>', 'how many at most', readCount, 50)
    .action(actionOf(triggers, 'listTriggers'));
  withJson(trigger.command('show').argument('<trigger>', 'as glibc/2.40-4'))
    .description('how far the tests of a trigger are, regressions first')
    .option('--group <names>', GROUPS)
    .option('--suite <name>', 'on this suite')
    .option('--arch <name>', 'on this architecture')
    .option('--limit <count>', 'how many tests at most', readCount, 500)
    .action(actionOf(triggers, 'printTrigger'));
  addTriggerActions(trigger);

  const reject = groupOf(program, 'reject-list', 'packages that are not tested');
  withJson(reject.command('show'))
    .description('the whole list')
    .action(actionOf(rejectList, 'printRejectList'));
  withJson(reject.command('check').argument('<package>'))
    .description('whether a package is tested; exit code 1 when it is not')
    .option('--suite <name>', 'on this suite')
    .option('--arch <name>', 'on this architecture')
    .option('--package-version <version>', 'in this version')
    .action(actionOf(rejectList, 'checkPackage'));
}

function addTriggerActions(trigger: Command): void {
  const actions = () => import('./trigger-actions');
  const action = (name: string): Command =>
    withYes(withJson(trigger.command(name).argument('<trigger>', 'as glibc/2.40-4')))
      .option('--suite <name>', 'on this suite')
      .option('--arch <name>', 'on this architecture')
      .option('--run <id>', 'this run; once for each', readRuns)
      .option('--dry-run', 'only print what would be done', false);
  action('retry')
    .description('ask for tests of a trigger again; says how many, and asks; prints the new runs')
    .option('--group <names>', GROUPS)
    .action(actionOf(actions, 'retryTests'));
  action('refresh')
    .description('ask for new reference runs of the packages of tests; says how many, and asks')
    .option('--group <names>', GROUPS)
    .action(actionOf(actions, 'refreshTests'));
  action('cancel')
    .description('end tests of a trigger that wait or are executed; says how many, and asks')
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
