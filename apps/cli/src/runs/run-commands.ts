import { REQUEST_FIELDS } from '@proctor/request-fields';
import { type Command, InvalidArgumentError } from 'commander';
import { collect, groupOf, actionOf, readCount, readIdOf, WHY, withJson, withYes } from '../arguments';
import { readDuration, readMoment } from '../output/duration';
import { readWhole, requestOptions } from './request-options';

const change = () => import('./retry-runs');
const many = () => import('./many-runs');

/** Adds the commands that request tests and show their results. */
export function addRunCommands(program: Command): void {
  const run = groupOf(program, 'run', 'requested tests and their results');
  addSubmit(run);
  addReading(run);
  addChanges(run);
  addManyRuns(run);
}

function addSubmit(run: Command): void {
  const submit = withWaiting(withJson(run.command('submit').argument('[package...]', 'source packages')));
  submit
    .description('request tests of packages, or of all tests in a file; prints the runs')
    .option('--suite <name>', 'the suite; needed if the service tests several', collect)
    .option(
      '--arch <name>',
      'the architecture; repeat it for several; needed if the service tests several',
      collect,
    );
  for (const option of requestOptions()) submit.addOption(option);
  submit
    .option(
      '--file <path>',
      'read the tests from this JSON file: a list, or lists by queue; - is standard input',
    )
    .option('--dry-run', 'only print what would be done', false)
    .action(actionOf(() => import('./submit-runs'), 'submitRuns'));
}

function addReading(run: Command): void {
  withJson(run.command('list'))
    .description('list the runs that match all options, the newest requests first')
    .option('--package <name>', 'runs of this source package; * matches any text')
    .option('--suite <name>', 'runs on this suite')
    .option('--arch <name>', 'runs on this architecture')
    .option('--status <names>', 'pass, neutral, fail, tmpfail, absent; joined by commas')
    .option('--state <names>', 'queued, leased, running, finished; joined by commas')
    .option('--trigger <words>', 'words that the trigger contains')
    .option('--requestor <user>', 'the user who requested the run')
    .option('--since <when>', 'runs that were new or finished since then: 2h, 1d, 2026-11-20', (text) =>
      readMoment(text),
    )
    .option('--limit <count>', 'how many at most', readCount, 50)
    .action(actionOf(() => import('./list-runs'), 'listRuns'));
  withJson(run.command('show').argument('<id>', 'of a run', readId))
    .description('show everything about a run')
    .action(actionOf(() => import('./show-run'), 'printRun'));
  withJson(run.command('explain').argument('<id>', 'of a run', readId))
    .description('explain why a run waits or has failed, and what to do')
    .action(actionOf(() => import('./explain'), 'explainRun'));
  run
    .command('log')
    .argument('<id>', 'of a run', readId)
    .description('print the log of a run, as its test wrote it')
    .option('-f, --follow', 'wait for the run to start, and print until it ends', false)
    .option('--attempt <number>', 'the latest if it is left out', readCount)
    .option('--offset <bytes>', 'skip the bytes that you already have', readOffset, 0)
    .action(actionOf(() => import('./log'), 'printLog'));
  withJson(run.command('wait').argument('<id...>', 'of runs', readIds))
    .description('wait until runs have ended; the exit code says how they ended')
    .option('--timeout <time>', 'give up after 30s, 10m, 2h', readDuration)
    .addHelpText('after', '\nExit codes: 0 pass or neutral, 1 fail, 75 tmpfail or not ended in time.')
    .action(actionOf(() => import('./wait'), 'waitForRuns'));
}

function addChanges(run: Command): void {
  withWaiting(withJson(run.command('retry').argument('<id...>', 'of runs', readIds)))
    .description('request the same tests again; prints the new runs')
    .action(actionOf(change, 'retryRuns'));
  withJson(run.command('publish').argument('<id...>', 'of private runs', readIds))
    .description('make private runs public')
    .action(actionOf(change, 'publishRuns'));
}

function addManyRuns(run: Command): void {
  const cancel = run.command('cancel').argument('[id...]', 'of runs', readIds);
  withSelectors(cancel.description('end the unfinished runs that match all options')).action(
    actionOf(many, 'cancelRuns'),
  );
  const priority = run
    .command('priority')
    .argument('<priority>', REQUEST_FIELDS.priority.option[1], readWhole(REQUEST_FIELDS.priority))
    .argument('[id...]', 'of runs', readIds);
  withSelectors(priority.description('give waiting runs another priority')).action(
    actionOf(many, 'changePriority'),
  );
}

function withWaiting(command: Command): Command {
  return command
    .option('--wait', 'wait until the runs have ended; the exit code is that of `run wait`', false)
    .option('--timeout <time>', 'with --wait: give up after 30s, 10m, 2h', readDuration);
}

function withSelectors(command: Command): Command {
  return withYes(withJson(command))
    .option('--package <name>', 'runs of this source package')
    .option('--trigger <text>', 'runs with exactly this trigger')
    .option('--suite <name>', 'runs on this suite')
    .option('--arch <name>', 'runs on this architecture')
    .option(
      '--everyone',
      'the runs of all keys, not only of this one; for administrators; always so with the key of the machine',
      false,
    )
    .option('--reason <text>', WHY);
}

function readId(text: string): number {
  return readIdOf(text, 'a run');
}

function readIds(text: string, before: number[] | undefined): number[] {
  return [...new Set([...(before ?? []), readId(text)])];
}

function readOffset(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of bytes.');
}
